// Starts a server, connects clients of the official SDK to it on both transports and in both eras, and counts which steps
// hold. What the steps are is for the scripts.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const NEWEST = '2026-07-28';
const INFO = { name: 'interop', version: '1.0.0' };
const TRANSPORTS = { http: overHttp, stdio: overStdio };
// The SDK's client, in each era.
export const CLIENTS = {
  [NEWEST]: newest('auto'),
  legacy: newest('legacy'),
};
// The client of the SDK before its second version.
export const FIRST = {
  'SDK 1.x': { era: 'legacy', client: options => new FirstClient(INFO, options), Http: FirstHttp, Stdio: FirstStdio },
};

let passed = 0;
let failed = 0;

// The one argument of the script.
export function argument(usage) {
  const [given] = process.argv.slice(2);
  if (given === undefined) {
    console.error(`usage: ${usage}`);
    process.exit(2);
  }
  return given;
}

// What the action gives, if anything, is shown.
export async function step(name, action) {
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

// The members that are there.
export function present(members) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

// The steps with one server process for each connection, so that none can lean on what another left behind. `server` has
// the command for each transport that it speaks; over HTTP it says its URL on standard error, or the URL stands in place of the
// command, and it lets in those with its `token` if it has one. `prepare` is given each client before it is connected.
export async function everywhere(server, options, steps, prepare = () => {}, clients = CLIENTS) {
  for (const [transport, open] of Object.entries(TRANSPORTS)) {
    if (server[transport] === undefined) continue;
    for (const [generation, { era, client: make, ...transports }] of Object.entries(clients)) {
      const name = `typescript, ${transport}, ${generation}`;
      const client = make(options);
      prepare(client);
      let stop = async () => {};
      const connected = await step(`${name}: connect`, async () => {
        const opened = await open(transports, server[transport], server.token);
        stop = opened.stop;
        await client.connect(opened.transport);
        const revision = client.getNegotiatedProtocolVersion?.();
        assert.equal(revision === NEWEST, era === NEWEST, 'the other era was negotiated');
        return revision;
      });
      if (connected) await steps(client, era, (what, action) => step(`${name}: ${what}`, action));
      await client.close();
      await stop();
    }
  }
}

// Ends the process with the count of all steps.
export function end() {
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(passed > 0 && failed === 0 ? 0 : 1);
}

function newest(mode) {
  const client = options => new Client(INFO, { versionNegotiation: { mode }, ...options });
  return { era: mode === 'auto' ? NEWEST : 'legacy', client, Http: StreamableHTTPClientTransport, Stdio: StdioClientTransport };
}

async function overHttp({ Http }, [command, ...args], token) {
  const authProvider = token && { token: async () => token };
  if (URL.canParse(command)) {
    return { transport: new Http(new URL(command), { authProvider }), stop: async () => {} };
  }
  const server = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
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
      return { transport: new Http(new URL(url), { authProvider }), stop };
    }
  }
  throw new Error('the server ended without saying its address');
}

async function overStdio({ Stdio }, [command, ...args]) {
  return { transport: new Stdio({ command, args, stderr: 'ignore' }), stop: async () => {} };
}
