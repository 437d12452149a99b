// The command line with an authorization server of somebody else's: a person logs in at a browser and at another device, tokens
// end and are renewed once, by whichever of many commands is first, and a login ends; a client that needs nobody.
// usage: node login.mjs PATH_OF_PLAINLY

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';

import { end, folder, plainly, serve, step } from './harness.mjs';
import { visit } from './person.mjs';
import { AUDIENCE, BATCH, PUBLIC, start } from './provider.mjs';

// For how long tokens last, in seconds.
const SECONDS = 4;
// Runs a command of plainly: its status and what it printed. `see` is given each line of it on the way.
function run(words, { env = {}, see = () => {} } = {}) {
  return new Promise(done => {
    const child = execFile(
      plainly,
      words,
      { env: { ...process.env, XDG_STATE_HOME: join(folder, 'state'), ...env } },
      (error, stdout, stderr) => done({ status: error === null ? 0 : error.code, stdout, stderr }),
    );
    child.stdin.end();
    for (const stream of [child.stdout, child.stderr]) stream.on('data', see);
  });
}

async function succeeds(words, options) {
  const { status, stdout, stderr } = await run(words, options);
  assert.equal(status, 0, `${words.join(' ')}: ${stderr}`);
  return stdout + stderr;
}

// Logs in: whatever page is told is visited by a person, once.
async function logIn(words, at = url) {
  let printed = '';
  let visiting;
  const see = text => {
    printed += text;
    const page = printed.match(/http:\/\/127\.0\.0\.1:\d+\/(?:auth|device)\?[^\s"]+/)?.[0];
    if (page !== undefined) visiting ??= visit(page);
  };
  await succeeds(['login', at, '--json', ...words], { see });
  assert.ok(visiting, printed);
  await visiting;
}

const provider = await start({ seconds: SECONDS });
const { url, stop } = await serve(['--auth-issuer', provider.issuer, '--require-scope', 'notes:read']);
const renewals = () => provider.seen['/token'] ?? 0;

await step('without a login, a command ends with 7 and says what to do', async () => {
  const { status, stderr } = await run(['ls', url]);
  assert.equal(status, 7, stderr);
  assert.match(stderr, /plainly login/);
});

await step('a person logs in', () => logIn([]));
await step('other commands use the login', async () => {
  await succeeds(['ls', url]);
});
await step('the login is listed', async () => {
  const listed = await succeeds(['logins', '--json']);
  assert.match(listed, new RegExp(provider.issuer));
});

await step('a token that has ended is renewed once, by whoever is first', async () => {
  await new Promise(done => setTimeout(done, (SECONDS + 1) * 1000));
  const before = renewals();
  await Promise.all(Array.from({ length: 8 }, () => succeeds(['ls', url])));
  const made = renewals() - before;
  // The tokens are so short-lived that a slow machine may see another one end.
  assert.ok(made >= 1 && made <= 3, `${made} renewals`);
  return `${made} for 8 commands`;
});

await step('a login that was ended is over', async () => {
  await succeeds(['logout', url]);
  assert.ok(provider.seen['/token/revocation'] >= 1);
  assert.equal((await run(['ls', url])).status, 7);
});

await step('a person logs in at another device', async () => {
  await logIn(['--device']);
  await succeeds(['ls', url]);
});

await step('a token is bound to a key', async () => {
  await logIn(['--force', '--dpop']);
  await succeeds(['ls', url]);
});

await step('a client needs nobody', async () => {
  const words = ['ls', url, '--client-id', BATCH.id, '--client-secret', 'env:SECRET', '--scope', 'notes:read'];
  await succeeds(words, { env: { SECRET: BATCH.secret } });
});

stop();
await provider.stop();

const reserved = await start({ reserved: true });
const named = await serve([
  ...['--auth-issuer', reserved.issuer, '--auth-client-id', PUBLIC.id, '--auth-audience', AUDIENCE],
  ...['--require-scope', 'notes:read'],
]);

await step('a person logs in as the client that the server names', async () => {
  await logIn([], named.url);
  await succeeds(['ls', named.url]);
  const listed = await succeeds(['logins', '--json']);
  assert.match(listed, new RegExp(`"clientId":"${PUBLIC.id}"`));
});

named.stop();
await reserved.stop();
end();
