// Replaces three servers of files over NATS, one after another, while clients of two revisions send requests without a pause. The
// balancer here asks /readyz, as real ones do. Another program may be given for the new servers. No request may fail.
// usage: node rolling.mjs PATH_OF_PLAINLY PATH_OF_NATS_SERVER [PATH_OF_THE_NEXT_PLAINLY]

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';

import { cluster } from './nats.mjs';

const [program, nats, next = program] = process.argv.slice(2);
if (nats === undefined) {
  console.error('usage: node rolling.mjs PATH_OF_PLAINLY PATH_OF_NATS_SERVER [PATH_OF_THE_NEXT_PLAINLY]');
  process.exit(2);
}
const root = mkdtempSync(join(tmpdir(), 'plainly-rolling-'));
const [docs, keys] = [join(root, 'docs'), join(root, 'keys')];
mkdirSync(docs);
writeFileSync(join(docs, 'a.md'), '# Hello\n');
writeFileSync(keys, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
const urls = (await cluster(nats, root)).join(',');

// A server that is ready.
async function start(path) {
  const args = ['serve', docs, '--name', 'docs', '--http', '127.0.0.1:0', '--key-file', keys, '--cluster', urls];
  const child = spawn(path, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  process.on('exit', () => child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stderr })) {
    const origin = line.match(/ at (http:\/\/127\.0\.0\.1:\d+)\/mcp/)?.[1];
    if (origin === undefined) continue;
    child.stderr.resume();
    const server = { child, origin, served: 0 };
    while ((await health(server)) !== 'ready\n') await setTimeout(50);
    return server;
  }
  throw new Error('a server ended without saying its address');
}

async function health({ origin }) {
  return fetch(`${origin}/readyz`).then(answer => answer.text()).catch(() => 'gone');
}

// Those that the balancer has, each marked as of its last probe.
const servers = [];
let isOver = false;
async function probe() {
  while (!isOver) {
    await Promise.all(servers.map(async server => { server.isReady = ['ready\n', 'degraded\n'].includes(await health(server)); }));
    await setTimeout(500);
  }
}

let turn = 0;
function choose() {
  const ready = servers.filter(server => server.isReady);
  return ready[turn++ % ready.length];
}

const failures = [];
let done = 0;
async function post(body, headers) {
  const server = choose();
  const answer = await fetch(`${server.origin}/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...body }),
  });
  const text = await answer.text();
  if (!answer.ok || text.includes('"error"')) throw new Error(`${answer.status} ${text}`);
  server.served += 1;
  return answer;
}

const uri = 'file:///docs/a.md';
const clientInfo = { name: 'rolling', version: '1' };
const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
};

async function readModern() {
  const body = { id: 1, method: 'resources/read', params: { uri, _meta: modern } };
  await post(body, { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'resources/read', 'Mcp-Name': uri });
}

async function session() {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const answer = await post({ id: 0, method: 'initialize', params }, {});
  const headers = { 'Mcp-Session-Id': answer.headers.get('mcp-session-id'), 'MCP-Protocol-Version': '2025-11-25' };
  await post({ method: 'notifications/initialized' }, headers);
  return () => post({ id: 1, method: 'resources/read', params: { uri } }, headers);
}

// Sends one request after another.
async function load(send) {
  while (!isOver) {
    await send().then(() => { done += 1; }, error => failures.push(String(error.cause ?? error)));
  }
}

servers.push(...(await Promise.all([program, program, program].map(start))));
servers.forEach(server => { server.isReady = true; });
const probing = probe();
const sessions = await Promise.all([1, 2, 3, 4].map(session));
const loads = [...sessions, readModern, readModern, readModern, readModern].map(load);
for (const old of [...servers]) {
  const fresh = await start(next);
  servers.push({ ...fresh, isReady: true });
  old.child.kill('SIGTERM');
  const [status] = await once(old.child, 'exit');
  servers.splice(servers.indexOf(old), 1);
  if (status !== 0) failures.push(`a server ended with ${status}`);
}
while (servers.some(server => server.served === 0)) await setTimeout(50);
isOver = true;
await Promise.all([...loads, probing]);
for (const failure of failures.slice(0, 9)) console.log(`FAIL  ${failure}`);
console.log(`${failures.length} of ${done + failures.length} requests fail while three servers are replaced`);
rmSync(root, { recursive: true, force: true });
process.exit(failures.length === 0 && done > 0 ? 0 : 1);
