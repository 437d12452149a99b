// The official TypeScript SDK's clients, 1.x too, against `plainly serve`: list, read, parts, completion, changes of a log,
// misses, and odd names as VS Code writes them, on both transports and both eras.
// usage: node peer.mjs PATH_OF_PLAINLY

import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { URI } from 'vscode-uri';

import { argument, CLIENTS, end, everywhere, FIRST } from './harness.mjs';

const TEXT = 'Grüße, 世界!\nno newline at the end';
const BINARY = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const LISTING = [
  'file:///',
  'file:///docs',
  'file:///docs/archive',
  'file:///docs/picture.bin',
  'file:///docs/read%20me.txt',
  'file:///docs/server.log',
  'file:///docs/archive/old.txt',
];
const LOG = 'file:///docs/server.log';
const PATIENCE_MS = 30_000;
// Names with each printable character of ASCII that a name can have, at its beginning, in it and at its end, and some beyond.
const ASCII = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).filter(char => char !== '/' && char !== '.');
const ODD_NAMES = [
  ...ASCII.map(char => `${char}a${char}b${char}`),
  ...['[id].tsx', '[...slug].tsx', '(group)', '@modal', '%5Bid%5D', '%', '100%.txt', '~draft', 'a..b', 'é', 'e\u0301', '日本', '🦀.rs'],
];

function makeDirectory() {
  const root = mkdtempSync(join(tmpdir(), 'plainly-interop-'));
  const docs = join(root, 'docs');
  mkdirSync(join(docs, 'archive'), { recursive: true });
  writeFileSync(join(docs, 'archive', 'old.txt'), 'old');
  writeFileSync(join(docs, 'read me.txt'), TEXT);
  writeFileSync(join(docs, 'picture.bin'), BINARY);
  const log = join(docs, 'server.log');
  writeFileSync(log, 'one\ntwo\nthree\n');
  const odd = join(root, 'odd');
  mkdirSync(odd);
  for (const name of ODD_NAMES) writeFileSync(join(odd, name), name);
  return { root, docs, log, odd };
}

async function textOf(client, uri) {
  const { contents } = await client.readResource({ uri });
  assert.deepEqual(contents.map(content => content.uri), [uri]);
  return contents[0].text;
}

const STEPS = {
  list: async client => {
    const { resources } = await client.listResources();
    assert.deepEqual(resources.map(resource => resource.uri), LISTING);
  },
  'read text': async client => {
    const { contents } = await client.readResource({ uri: 'file:///docs/read%20me.txt' });
    assert.equal(contents.length, 1);
    assert.equal(contents[0].uri, 'file:///docs/read%20me.txt');
    assert.equal(contents[0].text, TEXT);
  },
  'read binary': async client => {
    const { contents } = await client.readResource({ uri: 'file:///docs/picture.bin' });
    assert.equal(contents.length, 1);
    assert.equal(contents[0].uri, 'file:///docs/picture.bin');
    assert.deepEqual(Buffer.from(contents[0].blob, 'base64'), BINARY);
  },
  miss: async client => {
    const uri = 'file:///docs/nowhere.txt';
    const error = await client.readResource({ uri }).then(() => assert.fail('it was found'), error => error);
    assert.equal(error.code, -32602, `${error}`);
    assert.equal(error.data?.uri, uri);
  },
  parts: async client => {
    assert.equal(await textOf(client, `${LOG}#line=1,2`), 'two\n');
    assert.equal(await textOf(client, `${LOG}#bytes=0-2`), 'one');
  },
  'templates and completion': async client => {
    const { resourceTemplates } = await client.listResourceTemplates();
    const uri = 'file:///{+path}{#part}';
    assert.deepEqual(resourceTemplates.map(({ uriTemplate }) => uriTemplate), [uri]);
    const { completion } = await client.complete({ ref: { type: 'ref/resource', uri }, argument: { name: 'path', value: 'docs/se' } });
    assert.deepEqual(completion.values, ['docs/server.log']);
  },
  'a log that grows': async (client, era) => {
    const tail = `${LOG}#tail=1`;
    let told;
    const isTold = new Promise((resolve, reject) => {
      setTimeout(() => reject(new Error('the change was not reported')), PATIENCE_MS).unref();
      client.fallbackNotificationHandler = async ({ params }) => resolve((told = params.uri));
    });
    if (era === 'legacy') await client.subscribeResource({ uri: tail });
    const subscription = era === 'legacy' ? undefined : await client.listen({ resourceSubscriptions: [tail] });
    // An older client opens the stream on which it hears of changes when it likes.
    const appending = setInterval(() => appendFileSync(log, 'last\n'), 200);
    await isTold.finally(() => clearInterval(appending));
    assert.equal(told, tail);
    assert.equal(await textOf(client, tail), 'last\n');
    await subscription?.close();
  },
};

const plainly = argument('node peer.mjs PATH_OF_PLAINLY');
const { root, docs, log, odd } = makeDirectory();

// The server's commands for a directory.
function serving(directory) {
  const serve = [plainly, 'serve', directory];
  return { http: [...serve, '--http', '127.0.0.1:0'], stdio: [...serve, '--stdio'] };
}

const clients = { ...CLIENTS, ...FIRST };
const all = async (client, era, step) => {
  for (const [what, action] of Object.entries(STEPS)) {
    await step(what, () => action(client, era));
  }
};
const open = async (client, _era, step) => {
  await step('odd names', async () => {
    for (const name of ODD_NAMES) {
      const uri = URI.file('/odd').with({ path: `/odd/${name}` }).toString();
      assert.equal(await textOf(client, uri), name, uri);
    }
    return `${ODD_NAMES.length} names`;
  });
};
await everywhere(serving(docs), {}, all, undefined, clients);
await everywhere(serving(odd), {}, open, undefined, clients);
rmSync(root, { recursive: true });
end();
