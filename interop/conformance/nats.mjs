// Three NATS servers that are one cluster with JetStream, in a temporary directory.

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { ports } from './ports.mjs';

async function isHealthy(monitor) {
  const answer = await fetch(`http://127.0.0.1:${monitor}/healthz`).catch(() => undefined);
  return answer?.ok === true;
}

// The URLs of the servers, once all are healthy.
export async function cluster(program, root) {
  const free = await ports(9);
  const [clients, routes, monitors] = [free.slice(0, 3), free.slice(3, 6), free.slice(6)];
  const peers = routes.map(port => `nats://127.0.0.1:${port}`).join(', ');
  for (const index of clients.keys()) {
    const config = join(root, `n${index}.conf`);
    writeFileSync(config, `
      server_name: n${index}
      listen: 127.0.0.1:${clients[index]}
      http: 127.0.0.1:${monitors[index]}
      jetstream { store_dir: '${join(root, `n${index}`)}' }
      cluster { name: c, listen: 127.0.0.1:${routes[index]}, routes: [${peers}] }
    `);
    const server = spawn(program, ['-c', config], { stdio: 'ignore' });
    process.on('exit', () => server.kill('SIGKILL'));
  }
  for (const monitor of monitors) {
    while (!(await isHealthy(monitor))) await setTimeout(50);
  }
  return clients.map(port => `nats://127.0.0.1:${port}`);
}
