// Runs a command against three processes of the example `replica` over three NATS servers, behind a balancer that passes no two
// requests in a row on to the same one. The variable `PLAINLY_URL` has the URL, which is also each argument that is `URL`.
// usage: node behind.mjs PATH_OF_THE_EXAMPLE PATH_OF_NATS_SERVER COMMAND ARGUMENT...

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { cluster } from './nats.mjs';
import { several } from './several.mjs';

const [example, nats, command, ...given] = process.argv.slice(2);
if (command === undefined) {
  console.error('usage: node behind.mjs PATH_OF_THE_EXAMPLE PATH_OF_NATS_SERVER COMMAND ARGUMENT...');
  process.exit(2);
}
const root = mkdtempSync(join(tmpdir(), 'plainly-behind-'));
const url = (await several(example, await cluster(nats, root), root)).replace('localhost', '127.0.0.1');
const args = given.map(argument => (argument === 'URL' ? url : argument));
const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, PLAINLY_URL: url } });
child.on('exit', status => {
  rmSync(root, { recursive: true, force: true });
  process.exit(status ?? 1);
});
