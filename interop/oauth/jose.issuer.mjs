// An authorization server that signs whatever it is told to, and what stands before the server of files: both keep what they are
// sent, for `jose.mjs`.

import { createHash, createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, request as httpRequest } from 'node:http';

import { CompactSign, calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';

import { freePort } from './harness.mjs';

export const now = () => Math.floor(Date.now() / 1000);
export const digest = text => createHash('sha256').update(text).digest('base64url');
export const encoded = value => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

async function listen(answer) {
  const server = createServer((request, response) => {
    const parts = [];
    request.on('data', part => parts.push(part));
    request.on('end', () => answer(request, Buffer.concat(parts), response));
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${server.address().port}`;
}

// --- Keys

// A key of the issuer: the pair, and how it stands in the issuer's set.
async function issuerKey(alg, members = {}, options = {}) {
  const pair = await generateKeyPair(alg, { extractable: true, ...options });
  return { alg, ...pair, jwk: { ...(await exportJWK(pair.publicKey)), use: 'sig', ...members } };
}

export const keys = {
  es256: await issuerKey('ES256', { kid: 'es256', alg: 'ES256' }),
  es384: await issuerKey('ES384', { kid: 'es384', alg: 'ES384' }),
  rsa: await issuerKey('RS256', { kid: 'rsa' }),
  onlyRs256: await issuerKey('RS256', { kid: 'only-rs256', alg: 'RS256' }),
  ed25519: await issuerKey('Ed25519', { kid: 'ed25519', alg: 'EdDSA' }),
  named: await issuerKey('Ed25519', { kid: 'ed25519-named', alg: 'Ed25519' }),
  es512: await issuerKey('ES512', { kid: 'es512', alg: 'ES512' }),
  encrypting: await issuerKey('ES256', { kid: 'encrypting', use: 'enc' }),
  nameless: await issuerKey('ES256'),
  twin: await issuerKey('ES256', { kid: 'twin', alg: 'ES256' }),
  otherTwin: await issuerKey('ES256', { kid: 'twin', alg: 'ES256' }),
};
export const small = generateKeyPairSync('rsa', { modulusLength: 1024 });
export const stranger = await issuerKey('ES256', { kid: 'es256', alg: 'ES256' });
export const published = [
  ...Object.values(keys).map(key => key.jwk),
  { ...small.publicKey.export({ format: 'jwk' }), kid: 'small', use: 'sig', alg: 'RS256' },
  { kty: 'oct', k: encoded('a shared secret of thirty-two bytes'), kid: 'shared', alg: 'HS256' },
];

// --- The authorization server, and what stands before the server of files: both keep what they are sent.

export const sent = { assertions: [], proofs: [], authorized: [] };

export const issuer = await listen((request, body, response) => {
  const url = new URL(request.url, issuer);
  const json = (value, status = 200, headers = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  const found = {
    '/.well-known/oauth-authorization-server': () =>
      json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token?of=all`,
        registration_endpoint: `${issuer}/register`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        grant_types_supported: ['authorization_code', 'client_credentials'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
        dpop_signing_alg_values_supported: ['ES256'],
        authorization_response_iss_parameter_supported: true,
      }),
    '/jwks': () => json({ keys: published }),
    '/register': () => json({ ...JSON.parse(body), client_id: 'registered' }, 201),
    '/authorize': () => {
      sent.authorized.push(url.searchParams);
      const back = new URL(url.searchParams.get('redirect_uri'));
      back.search = new URLSearchParams({ code: 'a-code', state: url.searchParams.get('state'), iss: issuer });
      response.writeHead(302, { location: back.href }).end();
    },
    '/token': () => token(request, new URLSearchParams(String(body)), json),
  }[url.pathname];
  found ? found() : json({}, 404);
});

async function token(request, form, json) {
  const proof = request.headers.dpop;
  if (proof !== undefined) {
    const payload = JSON.parse(Buffer.from(proof.split('.')[1], 'base64url'));
    sent.proofs.push({ proof, htm: request.method, htu: `${issuer}/token`, nonce: payload.nonce, form });
    if (payload.nonce !== 'nonce-of-the-issuer') {
      json({ error: 'use_dpop_nonce' }, 400, { 'dpop-nonce': 'nonce-of-the-issuer' });
      return;
    }
  }
  if (form.has('client_assertion')) sent.assertions.push(form);
  const jwk = proof && JSON.parse(Buffer.from(proof.split('.')[0], 'base64url')).jwk;
  const access_token = await accessToken({
    aud: form.get('resource'),
    client_id: form.get('client_id'),
    ...(jwk && { cnf: { jkt: await calculateJwkThumbprint(jwk) } }),
  });
  json({ access_token, token_type: jwk ? 'DPoP' : 'Bearer', expires_in: 300 });
}

export const host = `127.0.0.1:${await freePort()}`;
export const front = await listen((request, body, response) => {
  const { authorization, dpop } = request.headers;
  if (dpop !== undefined) {
    const { nonce } = JSON.parse(Buffer.from(dpop.split('.')[1], 'base64url'));
    sent.proofs.push({ proof: dpop, htm: request.method, htu: publicUrl, nonce, token: authorization.split(' ')[1] });
    if (nonce !== 'nonce-of-the-server') {
      const headers = { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'nonce-of-the-server' };
      response.writeHead(401, headers).end();
      return;
    }
  }
  const onward = httpRequest(`http://${host}${request.url}`, { method: request.method, headers: request.headers });
  onward.on('response', answer => {
    response.writeHead(answer.statusCode, answer.rawHeaders);
    answer.pipe(response);
  });
  onward.end(body);
});
export const publicUrl = `${front}/mcp`;

// --- Tokens

// Any claims under any header that `jose` would sign.
export async function signed(key, header, claims) {
  const body = typeof claims === 'string' ? claims : JSON.stringify(claims);
  return new CompactSign(Buffer.from(body)).setProtectedHeader(header).sign(key);
}

export function claims(changed = {}) {
  const base = { iss: issuer, sub: 'ada', aud: publicUrl, client_id: 'c', iat: now(), exp: now() + 300, jti: randomUUID() };
  return { ...base, ...changed };
}

export function accessToken(changed, { key = keys.es256, header = {} } = {}) {
  return signed(key.privateKey, { alg: key.alg, typ: 'at+jwt', kid: key.jwk.kid, ...header }, claims(changed));
}

// Parts that are put together by hand; the signature is right if somebody makes one.
export function assembled(header, payload, sign = () => '') {
  const message = `${encoded(header)}.${encoded(payload)}`;
  return `${message}.${sign(message)}`;
}

export const byEs256 = key => message =>
  createSign('sha256').update(message).sign({ key: key.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url');

export async function hmac(secret, header = {}) {
  return signed(Buffer.from(secret), { alg: 'HS256', typ: 'at+jwt', ...header }, claims());
}
