// Other people's clients with `plainly serve --auth-issuer` and `--auth-keys`: the Python SDK's and FastMCP's log in, are
// refused what their scope does not cover, ask for more, and renew their tokens (`callers.py`).
// usage: node callers.mjs PATH_OF_PLAINLY PATH_OF_PYTHON

import { execFileSync, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { folder, plainly, serve } from './harness.mjs';
import { AUDIENCE, BATCH, PUBLIC, start } from './provider.mjs';

const python = process.argv[3];
const here = dirname(fileURLToPath(import.meta.url));

// For how long the tokens of the second issuer last, in seconds.
const SECONDS = 3;

const provider = await start();
const hasty = await start({ seconds: SECONDS });
const reserved = await start({ reserved: true });
const keys = join(folder, 'keys.json');
const key = execFileSync(plainly, ['key', 'new', 'interop', '--file', keys], { encoding: 'utf8' }).trim();

const requiring = (issuer, ...scopes) =>
  serve(['--auth-issuer', issuer, ...scopes.flatMap(scope => ['--require-scope', scope])]).then(({ url }) => url);

const ofPublicClient = await serve([
  ...['--auth-issuer', reserved.issuer, '--auth-client-id', PUBLIC.id, '--auth-audience', AUDIENCE],
  ...['--require-scope', 'notes:read'],
]);

const given = {
  node: process.execPath,
  person: join(here, 'person.mjs'),
  batch: BATCH,
  seconds: SECONDS,
  key,
  issuer: provider.issuer,
  reading: await requiring(provider.issuer, 'notes:read'),
  writing: await requiring(provider.issuer, 'notes:read', 'notes:write'),
  // The authorization server gives the second scope to nobody.
  forbidden: await requiring(provider.issuer, 'notes:read', 'notes:burn'),
  short: await requiring(hasty.issuer, 'notes:read'),
  public: { id: PUBLIC.id, url: ofPublicClient.url },
  keyed: (await serve(['--auth-keys', keys])).url,
};

const child = spawn(python, [join(here, 'callers.py'), JSON.stringify(given)], { stdio: 'inherit' });
child.on('exit', status => {
  rmSync(folder, { recursive: true });
  process.exit(status ?? 1);
});
