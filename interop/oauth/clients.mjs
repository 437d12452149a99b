// `plainly serve --auth-issuer` with an authorization server of somebody else's: what curl would see, and the official SDK's
// client, which logs in, is refused what its scope does not cover, and asks for more.
// usage: node clients.mjs PATH_OF_PLAINLY

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';

import { discovery, end, folder, plainly, serve, step } from './harness.mjs';
import { visit } from './person.mjs';
import { ASKER, AUDIENCE, BATCH, PUBLIC, start } from './provider.mjs';

const CALLBACK = 'http://127.0.0.1:65000/callback';

function discover(url, headers = {}) {
  return fetch(url, {
    method: 'POST',
    body: discovery.body,
    headers: {
      ...discovery.headers,
      ...headers,
    },
  });
}

// A token of the client that needs nobody.
async function batchToken(provider, resource, scope = 'notes:read') {
  const answer = await fetch(`${provider.issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', resource, scope }),
    headers: { authorization: `Basic ${btoa(`${BATCH.id}:${BATCH.secret}`)}` },
  });
  const tokens = await answer.json();
  assert.equal(answer.status, 200, JSON.stringify(tokens));
  return tokens.access_token;
}

// Keeps what the SDK's client wants to have kept, and is the person who logs in.
class Account {
  redirectUrl = CALLBACK;
  clientMetadata = {
    client_name: 'interop',
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: 'native',
  };
  kept = {};

  state() {
    return 'interop-state';
  }
  clientInformation() {
    return this.kept.client;
  }
  saveClientInformation(client) {
    this.kept.client = client;
  }
  tokens() {
    return this.kept.tokens;
  }
  saveTokens(tokens) {
    this.kept.tokens = tokens;
  }
  codeVerifier() {
    return this.kept.verifier;
  }
  saveCodeVerifier(verifier) {
    this.kept.verifier = verifier;
  }
  async redirectToAuthorization(url) {
    this.callback = (await visit(url.href)).url;
  }
}

const provider = await start();
const server = await serve(['--auth-issuer', provider.issuer, '--require-scope', 'notes:read']);

await step('without a token, the answer says where to get one', async () => {
  const answer = await discover(server.url);
  assert.equal(answer.status, 401);
  const challenge = answer.headers.get('www-authenticate');
  assert.match(challenge, /^Bearer .*resource_metadata="[^"]+"/);
  assert.match(challenge, /scope="notes:read"/);
  assert.doesNotMatch(challenge, /error=/);
  const metadata = await (await fetch(challenge.match(/resource_metadata="([^"]+)"/)[1])).json();
  assert.equal(metadata.resource, server.url);
  assert.deepEqual(metadata.authorization_servers, [provider.issuer]);
  return challenge;
});

await step('a token for this server is let in', async () => {
  const answer = await discover(server.url, { authorization: `Bearer ${await batchToken(provider, server.url)}` });
  assert.equal(answer.status, 200, await answer.text());
});

for (const [what, token, error] of [
  ['a token for another server', await batchToken(provider, 'http://127.0.0.1:1/mcp'), 'invalid_token'],
  ['a token without the scope', await batchToken(provider, server.url, 'notes:write'), 'insufficient_scope'],
  ['no token at all', 'x', 'invalid_token'],
]) {
  await step(`${what} is refused`, async () => {
    const answer = await discover(server.url, { authorization: `Bearer ${token}` });
    assert.equal(answer.status, error === 'insufficient_scope' ? 403 : 401);
    assert.match(answer.headers.get('www-authenticate'), new RegExp(`error="${error}"`));
  });
}

// A person logs in, and the SDK reads.
async function logIn(server, account) {
  const open = async () => {
    const client = new Client({ name: 'interop', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const transport = new StreamableHTTPClientTransport(new URL(server.url), { authProvider: account });
    return { client, transport };
  };
  const first = await open();
  await assert.rejects(first.client.connect(first.transport), UnauthorizedError);
  const query = new URL(account.callback).searchParams;
  await first.transport.finishAuth(query);
  const second = await open();
  await second.client.connect(second.transport);
  const { resources } = await second.client.listResources();
  await second.client.close();
  return `${resources.length} resources`;
}

await step('the SDK logs in and reads', () => logIn(server, new Account()));

server.stop();
await provider.stop();

const reserved = await start({ reserved: true });
const named = await serve([
  ...['--auth-issuer', reserved.issuer, '--auth-client-id', PUBLIC.id, '--auth-audience', AUDIENCE],
  ...['--require-scope', 'notes:read'],
]);

await step('the SDK is the client that the server names', async () => {
  const account = new Account();
  const seen = await logIn(named, account);
  assert.equal(account.kept.client.client_id, PUBLIC.id);
  return seen;
});

named.stop();
await reserved.stop();

const opaque = await start({ format: 'opaque' });
const asking = await serve(
  ['--auth-introspect', opaque.issuer, '--auth-client', ASKER.id, '--auth-client-secret', 'env:ASKER_SECRET'],
  { ASKER_SECRET: ASKER.secret },
);

await step('a server that asks lets in an opaque token, and asks once', async () => {
  const token = await batchToken(opaque, asking.url);
  for (let time = 0; time < 3; time += 1) {
    const answer = await discover(asking.url, { authorization: `Bearer ${token}` });
    assert.equal(answer.status, 200, await answer.text());
  }
  assert.equal(opaque.seen['/token/introspection'], 1);
});

await step('a server that asks refuses a token for another server', async () => {
  const token = await batchToken(opaque, 'http://127.0.0.1:1/mcp');
  const answer = await discover(asking.url, { authorization: `Bearer ${token}` });
  assert.equal(answer.status, 401);
});

asking.stop();
await opaque.stop();

await step('a key lets in, and nobody else', async () => {
  const keys = join(folder, 'keys.json');
  const key = execFileSync(plainly, ['key', 'new', 'interop', '--file', keys], { encoding: 'utf8' }).trim();
  const keyed = await serve(['--auth-keys', keys]);
  const status = async () => (await discover(keyed.url, { authorization: `Bearer ${key}` })).status;
  assert.equal(await status(), 200);
  assert.equal((await discover(keyed.url)).status, 401);
  keyed.stop();
});

end();
