// The official TypeScript SDK's client against `plainly serve`: list, read, and miss, on both transports and both eras.
// usage: node peer.mjs PATH_OF_PLAINLY

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { argument, end, everywhere } from './harness.mjs';

const TEXT = 'Grüße, 世界!\nno newline at the end';
const BINARY = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const LISTING = [
  'file:///',
  'file:///docs',
  'file:///docs/archive',
  'file:///docs/picture.bin',
  'file:///docs/read%20me.txt',
  'file:///docs/archive/old.txt',
];

function makeDirectory() {
  const root = mkdtempSync(join(tmpdir(), 'plainly-interop-'));
  const docs = join(root, 'docs');
  mkdirSync(join(docs, 'archive'), { recursive: true });
  writeFileSync(join(docs, 'archive', 'old.txt'), 'old');
  writeFileSync(join(docs, 'read me.txt'), TEXT);
  writeFileSync(join(docs, 'picture.bin'), BINARY);
  return { root, docs };
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
};

const plainly = argument('node peer.mjs PATH_OF_PLAINLY');
const { root, docs } = makeDirectory();
const serve = [plainly, 'serve', docs];
await everywhere({ http: [...serve, '--http', '127.0.0.1:0'], stdio: [...serve, '--stdio'] }, {}, async (client, _era, step) => {
  for (const [what, action] of Object.entries(STEPS)) {
    await step(what, () => action(client));
  }
});
rmSync(root, { recursive: true });
end();
