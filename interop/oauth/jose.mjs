// `jose` as a second opinion: it verifies the assertions and proofs that `plainly` signs, and signs tokens and proofs, good and
// bent, that `plainly serve --auth-issuer` must take or refuse, each with exactly the right status and challenge.
// usage: node jose.mjs PATH_OF_PLAINLY

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createPublicKey, createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';

import {
  EmbeddedJWK,
  calculateJwkThumbprint,
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  importSPKI,
  jwtVerify,
} from 'jose';

import { discovery, end, folder, plainly, serve, step } from './harness.mjs';
import {
  accessToken,
  assembled,
  byEs256,
  claims,
  digest,
  encoded,
  front,
  hmac,
  host,
  issuer,
  keys,
  now,
  publicUrl,
  published,
  sent,
  signed,
  small,
  stranger,
} from './jose.issuer.mjs';

const { stop } = await serve(['--auth-issuer', issuer], {}, { host, publicUrl });

// --- Requests. Each is from an address of its own, for after a few refusals the rest of an address is not looked at.

let last = 1;
function ask(headers, { method = 'POST' } = {}) {
  last += 1;
  const { body } = discovery;
  const options = {
    method,
    localAddress: `127.0.${Math.floor(last / 250)}.${(last % 250) + 1}`,
    headers: {
      host: new URL(front).host,
      ...discovery.headers,
      'content-length': Buffer.byteLength(body),
      ...headers,
    },
  };
  return new Promise((done, failed) => {
    const asking = httpRequest(`http://${host}/mcp`, options, answer => {
      const challenges = [];
      for (let at = 0; at < answer.rawHeaders.length; at += 2) {
        if (answer.rawHeaders[at].toLowerCase() === 'www-authenticate') challenges.push(answer.rawHeaders[at + 1]);
      }
      const { statusCode: status } = answer;
      // Whoever is turned away has sent a body that is not read, and must not use the connection again.
      if (status === 401 && answer.headers.connection !== 'close') failed(new Error('the connection is said to go on'));
      answer.resume().on('end', () => done({ status, challenges }));
    });
    asking.on('error', failed).end(body);
  });
}

const ALGORITHMS = 'ES256 ES384 EdDSA RS256 RS384 RS512 PS256 PS384 PS512';
const metadata = `resource_metadata="${front}/.well-known/oauth-protected-resource/mcp"`;
const failure = (error, why) => (error === undefined ? '' : `, error="${error}", error_description="${why}"`);

// A request is let in, or refused with exactly these challenges.
async function expect(headers, why, { scheme = 'Bearer', error = 'invalid_token', challenges } = {}) {
  const answer = await ask(headers);
  if (why === undefined) {
    assert.deepEqual(answer, { status: 200, challenges: [] });
    return;
  }
  const of = name => (name === scheme ? failure(error, why) : '');
  challenges ??= [`Bearer ${metadata}${of('Bearer')}`, `DPoP ${metadata}${of('DPoP')}, algs="${ALGORITHMS}"`];
  assert.deepEqual(answer, { status: 401, challenges });
}

// --- What `jose` signs

const good = keys.es256;
const publicPem = createPublicKey({ key: keys.rsa.jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
const by = (key, alg, kid = key.jwk.kid) => accessToken({}, { key, header: { alg, kid } });
const headed = header => accessToken({}, { header });
const inPart = (at, change) => async () => {
  const parts = (await accessToken({})).split('.');
  parts[at] = change(parts[at]);
  return parts.join('.');
};
const header = { alg: 'ES256', typ: 'at+jwt', kid: 'es256' };
const written = (head, payload) => assembled(head, payload, byEs256(good));

const tokens = [
  ['ES256', () => by(good, 'ES256')],
  ['ES384', () => by(keys.es384, 'ES384')],
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'].map(alg => [
    alg,
    async () => signed({ ...(await exportJWK(keys.rsa.privateKey)), alg }, { alg, typ: 'at+jwt', kid: 'rsa' }, claims()),
  ]),
  ['EdDSA', () => by(keys.ed25519, 'EdDSA')],
  ['EdDSA by its newer name', () => by(keys.named, 'Ed25519')],
  ['EdDSA by one name, of a key for the other', () => by(keys.ed25519, 'Ed25519')],
  ['typ JWT', () => headed({ typ: 'JWT' })],
  ['no typ', () => headed({ typ: undefined })],
  ['typ with its tree, in capitals', () => headed({ typ: 'application/AT+JWT' })],
  ['no kid, and several keys', () => headed({ kid: undefined })],
  ['no kid, of a key without one', () => by(keys.nameless, 'ES256', undefined)],
  ['one of two keys of a name', () => by(keys.twin, 'ES256')],
  ['the other of two keys of a name', () => by(keys.otherTwin, 'ES256')],
  ['several audiences', () => accessToken({ aud: ['https://a.example', publicUrl] })],
  ['ended less than a minute ago', () => accessToken({ exp: now() - 30 })],
  ['begins in less than a minute', () => accessToken({ nbf: now() + 30 })],
  ['a time with a fraction', () => accessToken({ exp: now() + 300.5 })],
  ['a client for itself', () => accessToken({ sub: undefined })],

  ['alg none', () => assembled({ alg: 'none', typ: 'at+jwt' }, claims()), 'algorithm'],
  ['alg None', () => assembled({ alg: 'None', typ: 'at+jwt' }, claims()), 'algorithm'],
  ['no alg', () => written({ typ: 'at+jwt', kid: 'es256' }, claims()), 'algorithm'],
  ['HS256 with the public key', () => hmac(publicPem, { kid: 'rsa' }), 'algorithm'],
  ['HS256 with the public key as JSON', () => hmac(JSON.stringify(good.jwk), { kid: 'es256' }), 'algorithm'],
  [
    'HS256 with a secret that is published',
    () => hmac('a shared secret of thirty-two bytes', { kid: 'shared' }),
    'algorithm',
  ],
  ['ES512', () => by(keys.es512, 'ES512'), 'algorithm'],
  ['alg in small letters', () => written({ ...header, alg: 'es256' }, claims()), 'algorithm'],
  ['RS256 said, ES256 signed', () => written({ ...header, alg: 'RS256' }, claims()), 'unknown key'],
  ['ES384 said, ES256 signed', () => written({ ...header, alg: 'ES384', kid: 'es384' }, claims()), 'signature'],
  [
    'PS256 by a key for RS256',
    async () =>
      signed(
        { ...(await exportJWK(keys.onlyRs256.privateKey)), alg: 'PS256' },
        { alg: 'PS256', kid: 'only-rs256' },
        claims(),
      ),
    'unknown key',
  ],
  [
    'a small key',
    () =>
      assembled({ alg: 'RS256', kid: 'small' }, claims(), it =>
        createSign('sha256').update(it).sign(small.privateKey, 'base64url'),
      ),
    'unknown key',
  ],
  ['a key for encryption', () => by(keys.encrypting, 'ES256'), 'unknown key'],
  ['kid of nobody', () => headed({ kid: '../../etc/passwd' }), 'unknown key'],
  ['kid of another key', () => headed({ kid: 'twin' }), 'signature'],
  ['kid that is no text', () => headed({ kid: 1 }), 'malformed'],
  ["a stranger's key of the same name", () => by(stranger, 'ES256'), 'signature'],
  ["a stranger's key, without a name", () => by(stranger, 'ES256', undefined), 'signature'],
  ['its own key in the header', () => accessToken({}, { key: stranger, header: { jwk: stranger.jwk } }), 'header'],
  ...['jku', 'x5u'].map(name => [name, () => headed({ [name]: `${issuer}/jwks` }), 'header']),
  ['x5c', () => headed({ x5c: ['MII='] }), 'header'],
  ['crit', () => written({ ...header, crit: ['exp'], exp: 1 }, claims()), 'header'],
  ['crit, empty', () => written({ ...header, crit: [] }, claims()), 'header'],
  ['b64: false, with crit', () => written({ ...header, b64: false, crit: ['b64'] }, claims()), 'header'],
  ['b64: false', () => written({ ...header, b64: false }, claims()), 'header'],
  ['zip', () => headed({ zip: 'DEF' }), 'header'],
  ['typ of a proof', () => headed({ typ: 'dpop+jwt' }), 'type'],
  ['typ of a logout', () => headed({ typ: 'logout+jwt' }), 'type'],
  ['typ that is no text', () => written({ ...header, typ: ['at+jwt'] }, claims()), 'type'],
  ['ended', () => accessToken({ exp: now() - 90 }), 'expired'],
  ['no end', () => accessToken({ exp: undefined }), 'expired'],
  ['an end that is a text', () => accessToken({ exp: String(now() + 300) }), 'malformed'],
  ['begins later', () => accessToken({ nbf: now() + 90 }), 'not yet valid'],
  ['from the future', () => accessToken({ iat: now() + 90 }), 'not yet valid'],
  ['no audience', () => accessToken({ aud: undefined }), 'audience'],
  ['another audience', () => accessToken({ aud: 'https://a.example' }), 'audience'],
  ['an audience with a slash more', () => accessToken({ aud: `${publicUrl}/` }), 'audience'],
  ['an audience above', () => accessToken({ aud: front }), 'audience'],
  ['an audience below', () => accessToken({ aud: `${publicUrl}/evil` }), 'audience'],
  ['audiences of which one is no text', () => accessToken({ aud: [publicUrl, 1] }), 'audience'],
  ['an audience twice', () => written(header, JSON.stringify(claims()).replace('{', `{"aud":"${publicUrl}",`)), 'malformed'],
  ['another issuer', () => accessToken({ iss: 'https://a.example' }), 'issuer'],
  ['an issuer with a slash more', () => accessToken({ iss: `${issuer}/` }), 'issuer'],
  ['no issuer', () => accessToken({ iss: undefined }), 'issuer'],
  ['nobody', () => accessToken({ sub: undefined, client_id: undefined }), 'no subject'],
  ['an ID token', () => accessToken({ nonce: 'n' }), 'an ID token'],
  ['bound to a certificate', () => accessToken({ cnf: { 'x5t#S256': 'x' } }), 'confirmation'],
  ['four parts', async () => `${await accessToken({})}.x`, 'malformed'],
  ['two parts', inPart(2, () => ''), 'signature'],
  ['padding', inPart(2, part => `${part}==`), 'signature'],
  ['padding of the claims', inPart(1, part => `${part}=`), 'malformed'],
  ['a bit more after the claims', inPart(1, part => `${part}A`), 'malformed'],
  ['another signature', inPart(2, part => part.split('').reverse().join('')), 'signature'],
  ['r and s of zero', inPart(2, () => Buffer.alloc(64).toString('base64url')), 'signature'],
  [
    'a signature in DER',
    () => assembled(header, claims(), it => createSign('sha256').update(it).sign(good.privateKey, 'base64url')),
    'signature',
  ],
  ['claims that are a list', () => written(header, '[]'), 'malformed'],
  ['JSON instead of three parts', () => JSON.stringify({ payload: encoded(claims()), signatures: [] }), 'malformed'],
  ['8 KiB and more', () => accessToken({ x: 'x'.repeat(8 * 1024) }), 'malformed'],
];

for (const [name, make, why] of tokens) {
  await step(`a token: ${name}: ${why ?? 'let in'}`, async () => {
    await expect({ authorization: `Bearer ${await make()}` }, why);
  });
}

// --- Proofs that `jose` signs

const holder = await generateKeyPair('ES256', { extractable: true });
const holders = { ES256: holder };
for (const alg of ['ES384', 'RS256', 'PS256', 'EdDSA']) {
  holders[alg] = await generateKeyPair(alg === 'EdDSA' ? 'Ed25519' : alg, { extractable: true });
}
const bound = async pair => accessToken({ cnf: { jkt: await calculateJwkThumbprint(await exportJWK(pair.publicKey)) } });

async function proof(accessTokenText, { pair = holder, alg = 'ES256', header = {}, sign = pair, ...changed } = {}) {
  const jwk = await exportJWK(pair.publicKey);
  const payload = { jti: randomUUID(), htm: 'POST', htu: publicUrl, iat: now(), ath: digest(accessTokenText), ...changed };
  return signed(sign.privateKey, { alg, typ: 'dpop+jwt', jwk, ...header }, payload);
}

for (const [alg, pair] of Object.entries(holders)) {
  await step(`a proof: ${alg}: let in`, async () => {
    const text = await bound(pair);
    await expect({ authorization: `DPoP ${text}`, dpop: await proof(text, { pair, alg }) });
  });
}

const text = await bound(holder);
const privateJwk = await exportJWK(holder.privateKey);
const upper = publicUrl.replace('http://', 'HTTP://');
for (const [name, changed, why] of [
  ['htu with a query and a fragment', { htu: `${publicUrl}?a=b#c` }],
  ['htu in another spelling', { htu: upper.replace('/mcp', '/x/../mcp') }],
  ['seconds old', { iat: now() - 2 }],
  ['from before the start of the server', { iat: now() - 60 }, 'time'],
  ['of another typ', { header: { typ: 'JWT' } }, 'type'],
  ['without typ', { header: { typ: undefined } }, 'type'],
  ['without a key', { header: { jwk: undefined } }, 'key'],
  ['with its private key', { header: { jwk: privateJwk } }, 'key'],
  ['with crit', { header: { crit: ['b64'], b64: true } }, 'header'],
  ['with x5u', { header: { x5u: issuer } }, 'header'],
  ['signed by another key than its own', { sign: stranger }, 'signature'],
  ["of a stranger's key", { pair: stranger }, 'another key'],
  ['for another method', { htm: 'GET' }, 'method'],
  ['for a method in small letters', { htm: 'post' }, 'method'],
  ['for another URL', { htu: `${front}/other` }, 'URL'],
  ['for another server', { htu: 'https://a.example/mcp' }, 'URL'],
  ['for a URL below', { htu: `${publicUrl}/x` }, 'URL'],
  ['an hour old', { iat: now() - 3600 }, 'time'],
  ['from the future', { iat: now() + 3600 }, 'time'],
  ['without a time', { iat: undefined }, 'time'],
  ['for another token', { ath: digest('x') }, 'token'],
  ['for no token', { ath: undefined }, 'token'],
  ['without a name', { jti: undefined }, 'malformed'],
  ['with an empty name', { jti: '' }, 'malformed'],
]) {
  await step(`a proof: ${name}: ${why ?? 'let in'}`, async () => {
    // `jose` does not let everything be signed.
    const made =
      changed.header?.crit === undefined
        ? await proof(text, changed)
        : assembled(
            { alg: 'ES256', typ: 'dpop+jwt', jwk: await exportJWK(holder.publicKey), ...changed.header },
            { jti: randomUUID(), htm: 'POST', htu: publicUrl, iat: now(), ath: digest(text) },
            byEs256(holder),
          );
    const challenges = why && [`DPoP ${metadata}${failure('invalid_dpop_proof', why)}, algs="${ALGORITHMS}"`];
    await expect({ authorization: `DPoP ${text}`, dpop: made }, why, { challenges });
  });
}

const proven = why => ({ challenges: [`DPoP ${metadata}${failure('invalid_dpop_proof', why)}, algs="${ALGORITHMS}"`] });
await step('a proof: twice: replayed', async () => {
  const headers = { authorization: `DPoP ${text}`, dpop: await proof(text) };
  await expect(headers);
  await expect(headers, 'replayed', proven('replayed'));
});
await step('two proofs, and none', async () => {
  const two = [await proof(text), await proof(text)];
  await expect({ authorization: `DPoP ${text}`, dpop: two }, 'not one proof', proven('not one proof'));
  await expect({ authorization: `DPoP ${text}` }, 'not one proof', proven('not one proof'));
});
await step('a bound token as a bearer, and an unbound one with a proof', async () => {
  const free = await accessToken({});
  await expect({ authorization: `Bearer ${text}`, dpop: await proof(text) }, 'bound to a key', { scheme: 'DPoP' });
  await expect({ authorization: `DPoP ${free}`, dpop: await proof(free) }, 'not bound to a key', { scheme: 'DPoP' });
});

// --- What `plainly` signs

function run(words, { see = () => {} } = {}) {
  return new Promise(done => {
    const env = { ...process.env, XDG_STATE_HOME: join(folder, 'state') };
    const child = execFile(plainly, words, { env }, (error, stdout, stderr) =>
      done({ status: error === null ? 0 : error.code, stdout, stderr }),
    );
    child.stdin.end();
    for (const stream of [child.stdout, child.stderr]) stream.on('data', see);
  });
}

async function succeeds(words, options) {
  const { status, stderr } = await run(words, options);
  assert.equal(status, 0, `${words.join(' ')}: ${stderr}`);
}

for (const [alg, kind, options] of [
  ['ES256', 'ec', { namedCurve: 'P-256' }],
  ['ES384', 'ec', { namedCurve: 'P-384' }],
  ['EdDSA', 'ed25519', {}],
  ['RS256', 'rsa', { modulusLength: 2048 }],
]) {
  await step(`an assertion by ${alg} that says who the client is`, async () => {
    const pair = generateKeyPairSync(kind, options);
    const file = join(folder, `${alg}.pem`);
    writeFileSync(file, pair.privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    const key = await importSPKI(pair.publicKey.export({ type: 'spki', format: 'pem' }), alg);
    const words = ['ls', publicUrl, '--client-id', `client:${alg}`, '--client-key', file, '--issuer', issuer];
    sent.assertions.length = 0;
    for (let time = 0; time < 2; time += 1) await succeeds(words);
    const names = new Set();
    for (const form of sent.assertions) {
      assert.equal(form.get('client_assertion_type'), 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
      const client = `client:${alg}`;
      const { payload, protectedHeader } = await jwtVerify(form.get('client_assertion'), key, {
        algorithms: [alg],
        issuer: client,
        subject: client,
        audience: issuer,
        maxTokenAge: '10 s',
        clockTolerance: 0,
        requiredClaims: ['exp', 'iat', 'jti'],
      });
      assert.equal(payload.exp - payload.iat, 60);
      assert.equal(payload.aud, issuer);
      assert.deepEqual(Object.keys(protectedHeader).sort(), ['alg', 'typ']);
      names.add(payload.jti);
    }
    assert.equal(names.size, 2, 'each has a name of its own');
  });
}

// What `jose` has to say of proofs that were sent, one after another; their keys' thumbprints.
async function verifiedProofs() {
  const names = new Set();
  const thumbprints = new Set();
  for (const { proof: made, htm, htu, nonce, token: shown } of sent.proofs) {
    const { payload, protectedHeader } = await jwtVerify(made, EmbeddedJWK, {
      typ: 'dpop+jwt',
      algorithms: ['ES256'],
      maxTokenAge: '30 s',
      requiredClaims: ['jti', 'htm', 'htu', 'iat'],
    });
    assert.deepEqual(Object.keys(protectedHeader).sort(), ['alg', 'jwk', 'typ']);
    assert.deepEqual(Object.keys(protectedHeader.jwk).sort(), ['crv', 'kty', 'x', 'y']);
    assert.equal(payload.htm, htm);
    assert.equal(payload.htu, htu);
    assert.equal(payload.nonce, nonce);
    assert.equal(payload.ath, shown && digest(shown));
    names.add(payload.jti);
    thumbprints.add(await calculateJwkThumbprint(protectedHeader.jwk));
  }
  assert.equal(names.size, sent.proofs.length, 'each has a name of its own');
  return [...thumbprints];
}

await step('proofs of a client that needs nobody, where both servers want a nonce', async () => {
  const file = join(folder, 'ES256.pem');
  sent.proofs.length = 0;
  await succeeds(['ls', publicUrl, '--client-id', 'c', '--client-key', file, '--issuer', issuer, '--dpop']);
  const thumbprints = await verifiedProofs();
  assert.equal(thumbprints.length, 1);
  const [atIssuer, atServer] = [sent.proofs.filter(it => it.form), sent.proofs.filter(it => it.token)];
  assert.deepEqual(
    atIssuer.map(it => it.nonce),
    [undefined, 'nonce-of-the-issuer'],
  );
  assert.equal(atServer[0].nonce, undefined);
  assert.ok(atServer.length > 1 && atServer.slice(1).every(it => it.nonce === 'nonce-of-the-server'));
  return `${sent.proofs.length} proofs`;
});

await step('proofs of a person who logs in, with the thumbprint before and the verifier after', async () => {
  sent.proofs.length = 0;
  let printed = '';
  let visiting;
  const see = part => {
    printed += part;
    const page = printed.match(/http:\/\/127\.0\.0\.1:\d+\/authorize\?[^\s"]+/)?.[0];
    if (page !== undefined) visiting ??= fetch(page);
  };
  await succeeds(['login', publicUrl, '--json', '--dpop'], { see });
  await visiting;
  await succeeds(['ls', publicUrl]);
  const [thumbprint, ...others] = await verifiedProofs();
  assert.deepEqual(others, []);
  const asked = sent.authorized.at(-1);
  assert.equal(asked.get('dpop_jkt'), thumbprint);
  assert.equal(asked.get('code_challenge_method'), 'S256');
  const verifier = sent.proofs.find(it => it.form).form.get('code_verifier');
  assert.match(verifier, /^[A-Za-z0-9._~-]{43,128}$/);
  assert.equal(asked.get('code_challenge'), digest(verifier));
  const set = createLocalJWKSet({ keys: published });
  const { payload } = await jwtVerify(sent.proofs.findLast(it => it.token).token, set, { issuer, audience: publicUrl });
  assert.equal(payload.cnf.jkt, thumbprint);
  return `${sent.proofs.length} proofs`;
});

stop();
end();
