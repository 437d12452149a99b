// A Redis server and a copy of it, in a temporary directory.

import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { ports } from './ports.mjs';

// What the server says of its copies.
async function replication(port) {
  const socket = connect(port, '127.0.0.1');
  try {
    socket.write('INFO replication\r\n');
    for await (const said of socket) return said.toString();
  } catch {
    // It does not listen yet.
  } finally {
    socket.destroy();
  }
  return '';
}

// The URLs of the servers, once the copy is up to date.
export async function cluster(program, root) {
  const [primary, copy] = await ports(2);
  for (const [port, more] of [[primary, []], [copy, ['--replicaof', '127.0.0.1', primary]]]) {
    const folder = join(root, `redis-${port}`);
    mkdirSync(folder);
    const common = ['--port', port, '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--repl-diskless-sync-delay', 0];
    const server = spawn(program, [...common, ...more].map(String), { stdio: 'ignore' });
    process.on('exit', () => server.kill('SIGKILL'));
  }
  while (!(await replication(primary)).includes('state=online')) await setTimeout(50);
  return [primary, copy].map(port => `redis://127.0.0.1:${port}`);
}
