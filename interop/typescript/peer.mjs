// The official TypeScript SDK's client against `plainly serve`: list, read, and miss, on both transports and both eras.
// usage: node peer.mjs PATH_OF_PLAINLY

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const NEWEST = '2026-07-28';
const TEXT = 'Grüße, 世界!\nno newline at the end';
const BINARY = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const LISTING = [
  'file:///docs',
  'file:///docs/archive',
  'file:///docs/archive/old.txt',
  'file:///docs/picture.bin',
  'file:///docs/read%20me.txt',
];
const ERAS = { [NEWEST]: 'auto', legacy: 'legacy' };
const TRANSPORTS = { http: overHttp, stdio: overStdio };

function makeDirectory() {
  const root = mkdtempSync(join(tmpdir(), 'plainly-interop-'));
  const docs = join(root, 'docs');
  mkdirSync(join(docs, 'archive'), { recursive: true });
  writeFileSync(join(docs, 'archive', 'old.txt'), 'old');
  writeFileSync(join(docs, 'read me.txt'), TEXT);
  writeFileSync(join(docs, 'picture.bin'), BINARY);
  return { root, docs };
}

// One server process for each connection, so that one era can't lean on what another left behind.
async function overHttp(plainly, docs) {
  const server = spawn(plainly, ['serve', docs, '--http', '127.0.0.1:0'], { stdio: ['ignore', 'ignore', 'pipe'] });
  process.on('exit', () => server.kill());
  const ended = new Promise(resolve => server.once('exit', resolve));
  const stop = () => {
    server.kill();
    return ended;
  };
  for await (const line of createInterface({ input: server.stderr })) {
    const url = line.match(/http:\/\/127\.0\.0\.1:\d+\/mcp/)?.[0];
    if (url !== undefined) {
      server.stderr.resume();
      return { transport: new StreamableHTTPClientTransport(new URL(url)), stop };
    }
  }
  throw new Error('the server ended without saying its address');
}

async function overStdio(plainly, docs) {
  const transport = new StdioClientTransport({ command: plainly, args: ['serve', docs, '--stdio'] });
  return { transport, stop: async () => {} };
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

let passed = 0;
let failed = 0;

async function step(name, action) {
  try {
    await action();
    passed += 1;
    console.log(`ok    ${name}`);
    return true;
  } catch (error) {
    failed += 1;
    console.log(`FAIL  ${name}: ${error.stack ?? error}`);
    return false;
  }
}

async function run(name, mode, open) {
  const client = new Client({ name: 'interop', version: '1.0.0' }, { versionNegotiation: { mode } });
  let stop = async () => {};
  const connected = await step(`${name}: connect`, async () => {
    const opened = await open();
    stop = opened.stop;
    await client.connect(opened.transport);
    assert.equal(client.getNegotiatedProtocolVersion() === NEWEST, mode === 'auto', 'the other era was negotiated');
  });
  for (const [what, action] of connected ? Object.entries(STEPS) : []) {
    await step(`${name}: ${what}`, () => action(client));
  }
  await client.close();
  await stop();
}

const [plainly] = process.argv.slice(2);
if (plainly === undefined) {
  console.error('usage: node peer.mjs PATH_OF_PLAINLY');
  process.exit(2);
}
const { root, docs } = makeDirectory();
for (const [transport, open] of Object.entries(TRANSPORTS)) {
  for (const [era, mode] of Object.entries(ERAS)) {
    await run(`typescript, ${transport}, ${era}`, mode, () => open(plainly, docs));
  }
}
rmSync(root, { recursive: true });
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
