// Ports that are free now.

import { createServer } from 'node:net';

export async function ports(count) {
  const servers = await Promise.all(Array.from({ length: count }, () => new Promise(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => resolve(server));
  })));
  const free = servers.map(server => server.address().port);
  await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))));
  return free;
}
