// Servers that repeat every secret that they are sent, and know all of them: an authorization server that gives out planted
// ones, and a server of MCP, for `secrets.mjs`.

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';

import { SignJWT, exportJWK, generateKeyPair } from 'jose';

// --- What is secret, and where it must not be.

export const secrets = new Map();

export function secret(name, value) {
  assert.ok(value.length >= 12, name);
  secrets.set(value, name);
  return value;
}

// A secret that nobody else has: with capitals, so that it looks like none of the words around it.
export function planted(name) {
  return secret(name, `Planted${randomBytes(12).toString('hex')}`);
}

// What is in a JWT may be shown in parts; nobody may see what makes it one.
export function secretToken(name, token) {
  const [, payload, signature] = token.split('.');
  secret(`${name}, its claims`, payload);
  secret(`${name}, its signature`, signature);
  return token;
}

export function found(text) {
  return [...secrets].filter(([value]) => text.includes(value)).map(([, name]) => name);
}

// --- The authorization server: it gives out planted secrets, and repeats all that it was sent when it refuses.

const signing = await generateKeyPair('ES256', { extractable: true });
const digest = text => createHash('sha256').update(text).digest('base64url');
// What the servers do next. The first gives tokens, refuses, fails, answers with something else, or with tokens nobody can use.
export const next = { mood: 'gives', resource: undefined, lasts: 300, refusing: 401 };

export async function accessToken(changed = {}) {
  const claims = {
    iss: issuer,
    aud: next.resource,
    sub: 'ada',
    client_id: 'c',
    scope: 'notes:read',
    jti: randomBytes(6).toString('hex'),
    ...changed,
  };
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'k' })
    .setIssuedAt()
    .setExpirationTime('5 minutes')
    .sign(signing.privateKey);
  return secretToken('an access token', token);
}

// Keeps in mind what a request has that is secret, and gives it back in one text.
function heard(request, body) {
  const form = new URLSearchParams(body);
  const echo = [];
  for (const name of [
    'code',
    'code_verifier',
    'refresh_token',
    'client_secret',
    'client_assertion',
    'assertion',
    'device_code',
    'token',
    'subject_token',
  ]) {
    const value = form.get(name);
    if (value === null) continue;
    echo.push(value.includes('.') && value.split('.').length === 3 ? secretToken(name, value) : secret(name, value));
  }
  const { authorization, dpop } = request.headers;
  if (authorization?.startsWith('Basic ')) echo.push(secret('the credentials of a client', authorization.slice(6)));
  if (authorization?.startsWith('Bearer ')) echo.push(authorization.slice(7));
  if (dpop !== undefined) secret('a proof', dpop.split('.')[2]);
  return echo.join(' ');
}

async function tokens(form, thumbprint) {
  return {
    access_token: await accessToken(thumbprint && { cnf: { jkt: thumbprint } }),
    token_type: thumbprint ? 'DPoP' : 'Bearer',
    expires_in: next.lasts,
    scope: 'notes:read',
    ...(form.get('grant_type') !== 'client_credentials' && { refresh_token: planted('a refresh token') }),
    id_token: secretToken('an ID token', await accessToken({ nonce: 'n' })),
  };
}

function jwkThumbprint(proof) {
  if (proof === undefined) return undefined;
  const { jwk } = JSON.parse(Buffer.from(proof.split('.')[0], 'base64url'));
  return digest(JSON.stringify({ crv: jwk.crv, kty: jwk.kty, x: jwk.x, y: jwk.y }));
}

const answers = {
  '/.well-known/oauth-authorization-server': ({ json }) =>
    json({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      revocation_endpoint: `${issuer}/revoke`,
      introspection_endpoint: `${issuer}/introspect`,
      device_authorization_endpoint: `${issuer}/device`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      grant_types_supported: [
        'authorization_code',
        'refresh_token',
        'client_credentials',
        'urn:ietf:params:oauth:grant-type:device_code',
        'urn:ietf:params:oauth:grant-type:jwt-bearer',
      ],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      dpop_signing_alg_values_supported: ['ES256'],
      scopes_supported: ['notes:read', 'offline_access'],
    }),
  '/jwks': async ({ json }) =>
    json({ keys: [{ ...(await exportJWK(signing.publicKey)), kid: 'k', alg: 'ES256', use: 'sig' }] }),
  '/register': ({ json, body }) =>
    json(
      {
        ...JSON.parse(body),
        client_id: 'registered',
        client_secret: planted('the secret of a registration'),
        client_secret_expires_at: 0,
        registration_access_token: planted('a token of a registration'),
        registration_client_uri: `${issuer}/register/${planted('the place of a registration')}`,
        token_endpoint_auth_method: 'client_secret_basic',
      },
      201,
    ),
  '/authorize': ({ url, response }) => {
    const back = new URL(url.searchParams.get('redirect_uri'));
    const asked = url.searchParams.get('state');
    back.search = new URLSearchParams({ code: planted('a code'), state: asked });
    response.writeHead(302, { location: back.href }).end();
  },
  '/device': ({ json }) =>
    json({
      device_code: planted('a device code'),
      user_code: 'ABCD-EFGH',
      verification_uri: `${issuer}/enter`,
      expires_in: 3,
      interval: 1,
    }),
  '/token': async ({ json, response, body, request, echo }) => {
    if (next.mood === 'gives') return json(await tokens(new URLSearchParams(body), jwkThumbprint(request.headers.dpop)));
    if (next.mood === 'refuses')
      return json({ error: 'invalid_grant', error_description: `no: ${echo}`, error_uri: `${issuer}/?${echo}` }, 400);
    if (next.mood === 'refuses clients') return json({ error: `invalid ${echo}`, error_description: `no: ${echo}` }, 401);
    if (next.mood === 'fails') return response.writeHead(500, { 'content-type': 'text/html' }).end(`<p>${echo}`);
    if (next.mood === 'redirects')
      return response.writeHead(307, { location: `${issuer}/token?was=${encodeURIComponent(echo)}` }).end();
    const unusable = { ...(await tokens(new URLSearchParams(body))), token_type: `strange ${echo}` };
    if (next.mood === 'is strange') return json(unusable);
    return response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(`{"access_token":"${unusable.access_token}",,}`);
  },
  '/revoke': ({ json, echo }) =>
    next.mood === 'gives' ? json({}) : json({ error: 'invalid_request', error_description: echo }, 400),
  '/introspect': async ({ json, response, echo }) => {
    if (next.mood === 'gives')
      return json({
        active: true,
        iss: issuer,
        aud: next.resource,
        sub: 'ada',
        client_id: 'c',
        scope: 'notes:read',
        exp: 4e9,
      });
    if (next.mood === 'fails') return response.writeHead(500).end(echo);
    if (next.mood === 'is strange') return response.writeHead(200).end(`{"active": "${echo}"`);
    return json({ active: false, error_description: echo });
  },
};

function listen(answer) {
  const server = createServer((request, response) => {
    const parts = [];
    request.on('data', part => parts.push(part));
    request.on('end', () => answer(request, response, String(Buffer.concat(parts))));
  });
  return new Promise(done => server.listen(0, '127.0.0.1', () => done(`http://127.0.0.1:${server.address().port}`)));
}

export const issuer = await listen((request, response, body) => {
  const url = new URL(request.url, issuer);
  const json = (value, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const answer = answers[url.pathname] ?? (({ json }) => json({}, 404));
  Promise.resolve(answer({ request, response, url, body, json, echo: heard(request, body) })).catch(error => {
    console.error(error);
    response.destroy();
  });
});

// A server of MCP that repeats what it was sent to be let in with: in challenges, errors, and headers.
export const parrot = await listen((request, response) => {
  const echo = (request.headers.authorization ?? request.headers['x-api-key'] ?? '').replace(/^\w+ /, '');
  const error = { code: -32600, message: `who is ${echo}?`, data: { was: echo, authorization: `Bearer ${echo}` } };
  response
    .writeHead(next.refusing, {
      'content-type': 'application/json',
      'www-authenticate': `Bearer realm="${echo}", error="invalid_token", error_description="${echo} is bad", x="${echo}"`,
      'x-was': echo,
      'set-cookie': `was=${echo}`,
    })
    .end(JSON.stringify({ jsonrpc: '2.0', id: 1, error }));
});
