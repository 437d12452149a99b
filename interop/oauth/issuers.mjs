// `plainly serve` and `plainly login` with authorization servers of other people that can be bent: tokens and answers that are
// almost right, and one that does not say that it supports PKCE.
// usage: node issuers.mjs PATH_OF_PLAINLY PYTHON

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';

import { exportJWK, exportSPKI, generateKeyPair, importJWK, SignJWT, UnsecuredJWT } from 'jose';

import { Home } from './commands.mjs';
import { end, serve, step } from './harness.mjs';
import { mock } from './mock.mjs';

const [, , , python] = process.argv;
const SOON = 600;
const now = () => Math.floor(Date.now() / 1000);

// Asks for nothing, from anywhere: who is often refused has to wait.
const anywhere = () => `10.${[0, 0, 0].map(() => Math.floor(Math.random() * 256)).join('.')}`;
const asks = (url, token, from = anywhere()) =>
  fetch(url, { method: 'POST', headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': from } });
const FROM_ANYWHERE = ['--trusted-proxy', '127.0.0.1'];

// A token that is right but for this change.
function bent({ issuer }, server, change = () => {}) {
  const scopesOrTransform = (header, payload) => {
    Object.assign(header, { typ: 'at+jwt' });
    Object.assign(payload, { aud: server.url, sub: 'ada', client_id: 'interop', scope: 'notes:read' });
    change(payload, header);
  };
  return issuer.buildToken({ kid: 'first', scopesOrTransform });
}

const one = await mock();
const server = await serve(['--auth-issuer', one.issuer.url, '--require-scope', 'notes:read', ...FROM_ANYWHERE]);
const token = change => bent(one, server, change);
// Who is let in is told that there is no body.
const IS_IN = 415;
const isIn = async it => assert.equal((await asks(server.url, it)).status, IS_IN);

for (const [what, change] of [
  ['for this server', () => {}],
  ['for this server among others', payload => (payload.aud = ['api://other', payload.aud])],
  ['that was made in a moment from now', payload => (payload.nbf = now() + 30)],
  ['of no special type', (_, header) => (header.typ = 'JWT')],
]) {
  await step(`a token ${what} is let in`, async () => isIn(await token(change)));
}

const [first] = one.issuer.keys.toJSON(true);
const publicKey = await exportSPKI(await importJWK(one.issuer.keys.toJSON()[0], 'RS256'));
const { privateKey } = await generateKeyPair('RS256', { extractable: true });
const claims = () => ({ iss: one.issuer.url, aud: server.url, sub: 'ada', scope: 'notes:read', exp: now() + SOON, iat: now() });
const signed = (header, key, payload = claims()) => new SignJWT(payload).setProtectedHeader({ typ: 'at+jwt', ...header }).sign(key);
const by = async (header, payload) => signed({ alg: 'RS256', kid: 'first', ...header }, await importJWK(first, 'RS256'), payload);

// What is wrong, in one word of ours, with tokens that are wrong so.
const REFUSED = {
  audience: {
    'for nobody': () => token(payload => delete payload.aud),
    'for another server': () => token(payload => (payload.aud = 'http://127.0.0.1:1/mcp')),
    'for the same with a slash': () => token(payload => (payload.aud += '/')),
    'for the whole origin': () => token(payload => (payload.aud = new URL(payload.aud).origin)),
    'for a list of others': () => token(payload => (payload.aud = [payload.client_id, `${payload.aud}evil`])),
  },
  expired: {
    'that has ended': () => token(payload => (payload.exp = now() - 120)),
    'that never ends': () => token(payload => delete payload.exp),
  },
  'not yet valid': { 'from the future': () => token(payload => (payload.nbf = now() + SOON)) },
  issuer: {
    'of somebody else': () => token(payload => (payload.iss = 'https://login.example.com')),
    'of the same with a slash': () => token(payload => (payload.iss += '/')),
  },
  algorithm: {
    'that nobody signed': () => new UnsecuredJWT(claims()).encode(),
    'signed with the public key as a secret': () =>
      signed({ alg: 'HS256', kid: 'first' }, new TextEncoder().encode(publicKey)),
  },
  signature: {
    'signed with another key of that name': () => signed({ alg: 'RS256', kid: 'first' }, privateKey),
    'changed afterwards': async () => {
      const [header, , signature] = (await token()).split('.');
      return [header, btoa(JSON.stringify({ ...claims(), sub: 'root' })).replace(/=+$/, ''), signature].join('.');
    },
  },
  header: {
    'that has its key in it': async () => by({ jwk: await exportJWK(privateKey).then(({ kty, n, e }) => ({ kty, n, e })) }),
    'that says where its key is': () => by({ jku: `${one.issuer.url}/evil` }),
    'that says where its certificate is': () => by({ x5u: `${one.issuer.url}/evil` }),
  },
  type: { 'that is a proof': () => token((_, header) => (header.typ = 'dpop+jwt')) },
  'no subject': {
    'of nobody': () => token(payload => {
      delete payload.sub;
      delete payload.client_id;
    }),
  },
  'an ID token': { 'that says who somebody is': () => token(payload => (payload.nonce = 'x')) },
  'bound to a key': { 'that needs a proof': () => token(payload => (payload.cnf = { jkt: 'x'.repeat(43) })) },
  malformed: {
    'with a number for its time': () => by({}, { ...claims(), exp: 'tomorrow' }),
    'of two parts': async () => (await token()).split('.').slice(0, 2).join('.'),
    'of five parts': async () => `${await token()}.x.y`,
  },
};

for (const [why, tokens] of Object.entries(REFUSED)) {
  for (const [what, make] of Object.entries(tokens)) {
    await step(`a token ${what} is refused`, async () => {
      const answer = await asks(server.url, await make());
      const challenge = answer.headers.get('www-authenticate');
      assert.equal(answer.status, 401, challenge);
      assert.match(challenge, /^Bearer resource_metadata="[^"]+"/);
      assert.ok(challenge.includes(`error="invalid_token", error_description="${why}"`), challenge);
      return why;
    });
  }
}

await step('a token without the scope is refused', async () => {
  const answer = await asks(server.url, await token(payload => (payload.scope = 'notes')));
  assert.equal(answer.status, 403);
  const challenge = answer.headers.get('www-authenticate');
  assert.match(challenge, /error="insufficient_scope"/);
  assert.match(challenge, /scope="notes:read"/);
});

await step('nothing that a token names was fetched', async () => {
  assert.deepEqual(Object.keys(one.seen).sort(), ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration', '/jwks']);
  assert.equal(one.seen['/jwks'], 1);
});

await step('a hundred keys that nobody knows cost no request, and harm nobody', async () => {
  for (let time = 0; time < 100; time += 1) {
    const answer = await asks(server.url, await signed({ alg: 'RS256', kid: randomUUID() }, privateKey));
    assert.equal(answer.status, 401);
    assert.match(answer.headers.get('www-authenticate'), /error_description="unknown key"/);
  }
  await isIn(await token());
  assert.equal(one.seen['/jwks'], 1);
});

await step('the keys are used on while their server is down', async () => {
  one.instead['/jwks'] = (_, response) => response.writeHead(500).end();
  await isIn(await token());
});
await step('who is refused again and again has to wait, and nobody else', async () => {
  const answers = [];
  for (let time = 0; time < 40; time += 1) answers.push(await asks(server.url, 'x', '10.0.0.1'));
  const told = answers.filter(it => it.status === 429);
  assert.ok(told.length > 0 && told.every(it => Number(it.headers.get('retry-after')) > 0));
  await isIn(await token());
  return `${answers.length - told.length} of ${answers.length} were heard`;
});
server.stop();

const many = Array.from({ length: 10_000 }, (_, number) => ({ ...one.issuer.keys.toJSON()[0], kid: `${number}` }));
for (const [what, why, status, headers, body] of [
  ['are down', /answered with 500/, 500],
  ['are no JSON', /not a JSON Web Key Set/, 200, {}, '<html>'],
  ['are none', /no key for signatures/, 200, {}, JSON.stringify({ keys: [] })],
  ['are ten thousand', /more than/, 200, {}, JSON.stringify({ keys: many })],
]) {
  await step(`a server does not start while its keys ${what}`, async () => {
    one.instead['/jwks'] = (_, response) => response.writeHead(status, headers).end(body);
    await assert.rejects(serve(['--auth-issuer', one.issuer.url]), why);
  });
}
one.stop();

const asked = await mock();
const asking = await serve(
  ['--auth-introspect', asked.issuer.url, '--auth-client', 'interop', '--auth-client-secret', 'env:SECRET', ...FROM_ANYWHERE],
  { SECRET: 'interop-secret' },
);
const said = () => ({ active: true, aud: asking.url, sub: 'ada', client_id: 'interop', exp: now() + SOON });
for (const [what, status, body, code = 200] of [
  ['that is good', IS_IN, said()],
  ['that is not', 401, { active: false }],
  ['that is good in a word', 503, { ...said(), active: 'true' }],
  ['for nobody', 401, { ...said(), aud: undefined }],
  ['for another server', 401, { ...said(), aud: 'http://127.0.0.1:1/mcp' }],
  ['of somebody else', 401, { ...said(), iss: 'https://login.example.com' }],
  ['that has ended', 401, { ...said(), exp: now() - 120 }],
  ['of which is said nothing', 503, 'nothing'],
  ['that cannot be asked about', 503, {}, 500],
]) {
  await step(`a token ${what}, as is said when it is asked about, gets ${status}`, async () => {
    asked.service.once('beforeIntrospect', answer => Object.assign(answer, { body, statusCode: code }));
    const answer = await asks(asking.url, randomUUID());
    assert.equal(answer.status, status);
    if (status === 401) assert.match(answer.headers.get('www-authenticate'), /error="invalid_token"/);
    if (status === 503) assert.ok(Number(answer.headers.get('retry-after')) > 0);
  });
}
asking.stop();
asked.stop();

const bending = await mock();
const files = await serve(['--auth-issuer', bending.issuer.url]);
const rights = (signing, request) => Object.assign(signing.payload, { aud: request.body.resource });
bending.service.on('beforeTokenSigning', rights);
const logsIn = ['login', files.url, '--client-id', 'interop'];

await step('somebody logs in where OpenID Connect alone is spoken', async () => {
  const home = new Home();
  await home.logIn(files.url, ['--client-id', 'interop']);
  await home.works(['ls', files.url]);
});

await step('a token that the server does not take is told as such', async () => {
  bending.service.off('beforeTokenSigning', rights);
  const { status, stderr } = await new Home().withBrowser('agrees', logsIn);
  bending.service.on('beforeTokenSigning', rights);
  assert.equal(status, 7, stderr);
  return JSON.parse(stderr).error.message;
});

for (const [what, kind, bend] of [
  ['is of another issuer', 'issuer-mismatch', url => url.searchParams.set('iss', 'https://login.example.com')],
  ['has no code', 'callback', url => url.searchParams.delete('code')],
  ['has two codes', 'callback', url => url.searchParams.append('code', 'x')],
  ['is a refusal', 'denied', url => url.searchParams.set('error', 'access_denied')],
]) {
  await step(`an answer to a login that ${what} is not used`, async () => {
    bending.service.once('beforeAuthorizeRedirect', ({ url }) => bend(url));
    const before = bending.seen['/token'];
    const { status, stderr } = await new Home().withBrowser('agrees', logsIn);
    assert.equal(status, 7, stderr);
    const { error } = JSON.parse(stderr);
    assert.equal(error.authorization.kind, kind, stderr);
    assert.equal(bending.seen['/token'], before);
    return error.message;
  });
}

for (const [what, kind, body, statusCode = 200] of [
  ['no token', 'token-unusable', { token_type: 'Bearer' }],
  ['a token of another type', 'token-unusable', { access_token: 'x', token_type: 'mac' }],
  ['a token of two lines', 'token-unusable', { access_token: 'x\ny', token_type: 'Bearer' }],
  ['an error that looks like an answer', 'token-refused', { error: 'invalid_grant' }],
  ['an error', 'token-refused', { error: 'invalid_grant', error_description: 'the code is \u001b[31mold' }, 400],
  ['no JSON', 'token-refused', 'sorry', 500],
]) {
  await step(`${what} instead of a token ends the login`, async () => {
    bending.service.once('beforeResponse', answer => Object.assign(answer, { body, statusCode }));
    const home = new Home();
    const { status, stderr } = await home.withBrowser('agrees', logsIn);
    assert.equal(status, 7, stderr);
    const { error } = JSON.parse(stderr);
    assert.equal(error.authorization.kind, kind, stderr);
    assert.ok(!error.message.includes('\u001b'), stderr);
    assert.deepEqual(await home.works(['logins', '--json']), 'warning: there are no logins: start one with `plainly login URL`\n');
    return error.message;
  });
}
files.stop();
bending.stop();

// What does not say that it supports PKCE may not check it.
const port = new URL(files.url).port;
const mute = `http://127.0.0.1:${port}`;
const provider = spawn(python, ['-m', 'oidc_provider_mock', '--port', port], { stdio: 'ignore' });
process.on('exit', () => provider.kill());
while (!(await fetch(`${mute}/.well-known/openid-configuration`).then(answer => answer.ok, () => false))) {
  assert.equal(provider.exitCode, null, 'it ended');
  await new Promise(done => setTimeout(done, 50));
}
const muted = await serve(['--auth-issuer', mute]);
await step('nobody logs in where PKCE is not said to be supported', async () => {
  const { status, stderr, pages } = await new Home().withBrowser('agrees', ['login', muted.url]);
  assert.equal(status, 7, stderr);
  const { error } = JSON.parse(stderr);
  assert.equal(error.authorization.kind, 'pkce-unsupported');
  assert.match(error.help, /add `"code_challenge_methods_supported": \["S256"\]` to its metadata/);
  assert.deepEqual(pages, []);
  return `${error.message}: ${error.help}`;
});
muted.stop();
provider.kill();
end();
