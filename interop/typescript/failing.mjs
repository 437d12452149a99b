// The official TypeScript SDK's client against a server whose every handler fails (the example `failing`): what it tells
// its user of each failure, on both transports and both eras. What is expected stands in ../failing.json.
// usage: node failing.mjs PATH_OF_THE_EXAMPLE

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const NEWEST = '2026-07-28';
const EXPECTED = JSON.parse(readFileSync(new URL('../failing.json', import.meta.url)));
const ERAS = { [NEWEST]: 'auto', legacy: 'legacy' };
const TRANSPORTS = { http: overHttp, stdio: overStdio };

// One server process for each connection, so that one era can't lean on what another left behind.
async function overHttp(failing) {
  const server = spawn(failing, ['127.0.0.1:0'], { stdio: ['ignore', 'ignore', 'pipe'] });
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

async function overStdio(failing) {
  const transport = new StdioClientTransport({ command: failing, stderr: 'ignore' });
  return { transport, stop: async () => {} };
}

let passed = 0;
let failed = 0;

async function step(name, action) {
  try {
    const seen = await action();
    passed += 1;
    console.log(`ok    ${name}${seen === undefined ? '' : `: ${seen}`}`);
    return true;
  } catch (error) {
    failed += 1;
    console.log(`FAIL  ${name}: ${error.stack ?? error}`);
    return false;
  }
}

// A tool error: the model's words, and for programs the problem.
async function toolError(client, name, expected) {
  const result = await client.callTool({ name, arguments: expected.arguments ?? {} });
  assert.equal(result.isError, true);
  assert.deepEqual(result.content, [{ type: 'text', text: expected.text }]);
  assert.deepEqual(result.structuredContent, expected.structuredContent);
  assert.deepEqual(result._meta?.['dev.plainly/problem'], expected.problem);
  return `isError, ${JSON.stringify(expected.text)}`;
}

// A protocol error: a code, a message and data.
async function protocolError(client, what, expected, mode) {
  const [tool] = what.match(/(?<=^tool ).*/) ?? [];
  const call = tool === undefined ? client.readResource({ uri: what }) : client.callTool({ name: tool, arguments: {} });
  const error = await call.then(() => assert.fail('it did not fail'), error => error);
  const code = mode === 'legacy' ? (expected.legacyCode ?? expected.code) : expected.code;
  assert.equal(error.code, code, `${error}`);
  assert.equal(error.message, expected.message);
  assert.deepEqual(error.data, expected.data);
  return `${error.code}, ${JSON.stringify(error.data)}`;
}

async function run(name, mode, open) {
  const client = new Client({ name: 'interop', version: '1.0.0' }, { versionNegotiation: { mode } });
  let stop = async () => {};
  const connected = await step(`${name}: connect`, async () => {
    const opened = await open();
    stop = opened.stop;
    await client.connect(opened.transport);
    assert.equal(client.getNegotiatedProtocolVersion() === NEWEST, mode === 'auto', 'the other era was negotiated');
    // What the client knows of the tools' output it holds their results against.
    await client.listTools();
  });
  if (connected) {
    for (const [tool, expected] of Object.entries(EXPECTED.tools)) {
      await step(`${name}: ${tool}`, () => toolError(client, tool, expected));
    }
    for (const [what, expected] of Object.entries(EXPECTED.errors)) {
      await step(`${name}: ${what}`, () => protocolError(client, what, expected, mode));
    }
  }
  await client.close();
  await stop();
}

const [failing] = process.argv.slice(2);
if (failing === undefined) {
  console.error('usage: node failing.mjs PATH_OF_THE_EXAMPLE');
  process.exit(2);
}
for (const [transport, open] of Object.entries(TRANSPORTS)) {
  for (const [era, mode] of Object.entries(ERAS)) {
    await run(`typescript, ${transport}, ${era}`, mode, () => open(failing));
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
