// What the scripts here share: steps that are counted, and servers of files that let in as their options say.

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

let passed = 0;
let failed = 0;

// The binary, from the command line of the script.
export const plainly = process.argv[2];
if (plainly === undefined) {
  console.error(`usage: node ${process.argv[1]} PATH_OF_PLAINLY`);
  process.exit(2);
}

export const folder = mkdtempSync(join(tmpdir(), 'plainly-oauth-'));
const files = join(folder, 'files');
mkdirSync(files);
writeFileSync(join(files, 'note.txt'), 'Be kind.');

// A request that every server answers, as it is sent.
export const discovery = {
  headers: {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'server/discover',
  },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'server/discover',
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'interop', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  }),
};

// What the action gives, if anything, is shown.
export async function step(name, action) {
  try {
    const seen = await action();
    passed += 1;
    console.log(`ok    ${name}${seen === undefined ? '' : `: ${seen}`}`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL  ${name}: ${error.stack ?? error}`);
  }
}

export function end() {
  rmSync(folder, { recursive: true });
  console.log(`${passed} steps passed, ${failed} failed`);
  process.exit(passed > 0 && failed === 0 ? 0 : 1);
}

// A port that nobody listens at.
export async function freePort() {
  const server = createServer();
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  const { port } = server.address();
  await new Promise(done => server.close(done));
  return port;
}

// A server of files that lets in as the options say, and its URL. It may be told where it is, and what clients call it; what it
// logs goes into `log`, if that is given.
export async function serve(options, env = {}, { host, publicUrl, log } = {}) {
  host ??= `127.0.0.1:${await freePort()}`;
  const where = ['--http', host, '--public-url', publicUrl ?? `http://${host}/mcp`];
  const server = spawn(plainly, ['serve', files, ...where, ...options], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  });
  process.on('exit', () => server.kill());
  server.stderr.on('data', part => log?.push(String(part)));
  const lines = [];
  for await (const line of createInterface({ input: server.stderr })) {
    lines.push(line);
    const url = line.match(/http:\/\/127\.0\.0\.1:\d+\/mcp/)?.[0];
    if (url !== undefined) {
      server.stderr.resume();
      return { url, stop: () => server.kill() };
    }
  }
  throw new Error(`the server ended: ${lines.join('\n')}`);
}
