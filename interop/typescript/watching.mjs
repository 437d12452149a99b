// `plainly watch` against a server on the official TypeScript SDK: a resource and the listings, on both transports and in
// both eras, and the end of the server in good order.
// usage: node watching.mjs PATH_OF_PLAINLY

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { argument, end, step } from './harness.mjs';

const SERVER = fileURLToPath(new URL('changing.mjs', import.meta.url));
const URI = 'db://rows/1';
const PATIENCE_MS = 60_000;
// What is watched, and all that is told of it.
const WATCHED = {
  'a resource': { words: [URI], told: [`updated ${URI}`] },
  'what is listed': { words: [], told: ['listing changed', 'tools changed'] },
};

function watch(plainly, words) {
  const child = spawn(plainly, ['watch', ...words], { stdio: ['ignore', 'pipe', 'pipe'], timeout: PATIENCE_MS });
  const said = [];
  child.stderr.on('data', data => said.push(data));
  const ended = once(child, 'close').then(([status]) => ({ status, said: Buffer.concat(said).toString() }));
  return { child, ended, lines: createInterface({ input: child.stdout }) };
}

// Until each of these was told twice; nothing else is.
async function tells(plainly, words, expected) {
  const { child, ended, lines } = watch(plainly, words);
  const counts = new Map(expected.map(line => [line, 0]));
  for await (const line of lines) {
    assert.ok(counts.has(line), `told: ${line}`);
    counts.set(line, counts.get(line) + 1);
    if ([...counts.values()].every(count => count > 1)) break;
  }
  child.kill('SIGINT');
  assert.deepEqual(await ended, { status: 130, said: '' });
}

// A server that ends may be one that restarts: its subscription is opened again.
async function waitsForTheServer(plainly, server, url) {
  const { child, ended, lines } = watch(plainly, [url, URI]);
  lines.once('line', () => server.kill('SIGTERM'));
  child.stderr.on('data', data => /it is opened again/.test(data) && child.kill('SIGINT'));
  const { status, said } = await ended;
  assert.equal(status, 130, said);
  assert.match(said, /the server ended the subscription/);
}

const plainly = argument('node watching.mjs PATH_OF_PLAINLY');
const server = spawn(process.execPath, [SERVER, 'http'], { stdio: ['ignore', 'pipe', 'inherit'] });
process.on('exit', () => server.kill('SIGKILL'));
const [url] = await once(createInterface({ input: server.stdout }), 'line');
for (const revision of ['2025-11-25', '2026-07-28']) {
  for (const [what, { words, told }] of Object.entries(WATCHED)) {
    const options = ['--revision', revision];
    await step(`http, ${revision}: ${what}`, () => tells(plainly, [url, ...words, ...options], told));
    const child = [...words, ...options, '--', process.execPath, SERVER, 'stdio'];
    await step(`stdio, ${revision}: ${what}`, () => tells(plainly, child, told));
  }
}
await step('the end', () => waitsForTheServer(plainly, server, url));
end();
