// Three processes of an example with the same keys, behind a balancer that passes no two requests in a row on to the same one.

import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { start } from './suite.mjs';

const here = dirname(fileURLToPath(import.meta.url));

// The URL of the balancer. The processes share the servers at these URLs, if there are any; all files are below `root`.
export async function several(example, servers, root) {
  const keys = join(root, 'keys');
  writeFileSync(keys, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  const shared = servers.length === 0 ? [keys] : [servers.join(','), keys];
  const replicas = await Promise.all([1, 2, 3].map(() => start(example, ['127.0.0.1:0', ...shared])));
  return start(process.execPath, [join(here, 'balancer.mjs'), ...replicas.map(one => new URL(one).port)]);
}
