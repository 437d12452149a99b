// Whether a secret shows where it should not: the command line and `plainly serve` with every way to be let in, logging all
// that they and their libraries can say, with an authorization server and a server that repeat every secret they are sent.
// What was secret is then looked for in all output, logs, recordings, files and arguments of programs.
// usage: node secrets.mjs PATH_OF_PLAINLY

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { end, folder, plainly, serve, step } from './harness.mjs';
import { accessToken, found, issuer, next, parrot, planted, secret, secrets } from './secrets.issuer.mjs';

// Of our own messages and of those of the libraries, all.
const MODULES = [
  'plainly',
  'plainly_oauth',
  'hyper',
  'hyper_util',
  'reqwest',
  'h2',
  'rustls',
  'tokio',
  'tower',
  'jsonwebtoken',
  'webbrowser',
];
const LOUD = ['--log', MODULES.map(module => `${module}=trace`).join(',')];

const state = join(folder, 'state');
const recordings = join(folder, 'recordings');
mkdirSync(recordings);
// Of clients that need nobody nothing is kept: here it would be.
const unattendedState = join(folder, 'unattended-state');
mkdirSync(unattendedState);

// All that was written, by what wrote it.
const written = [];

// --- Runs

let runs = 0;

// Runs a command of plainly, and keeps all that it wrote.
function run(words, { env = {}, see = () => {}, typed = '', loud = true, record = true } = {}) {
  runs += 1;
  const file = join(recordings, `${runs}.jsonl`);
  const traced = record ? ['--trace=full', '--record', file] : [];
  const command = [...words, ...(loud ? LOUD : []), ...traced];
  const child = spawn(plainly, command, {
    env: { ...process.env, XDG_STATE_HOME: state, HOME: folder, RUST_BACKTRACE: '1', ...env },
  });
  child.stdin.on('error', () => {});
  // Whoever types later has to end it.
  if (typed !== null) child.stdin.end(typed);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', part => {
      text += part;
      see(text, child);
    });
  }
  const limit = setTimeout(() => child.kill(), 30_000);
  return new Promise(done => {
    child.on('close', status => {
      clearTimeout(limit);
      let recorded = '';
      try {
        recorded = readFileSync(file, 'utf8');
      } catch {
        // It did not get so far.
      }
      const name = words.filter(word => !word.includes('\n')).join(' ');
      written.push([name, text], [`the recording of ${name}`, recorded]);
      done({ status, text });
    });
  });
}

const ends = async (expected, words, options) => {
  const { status, text } = await run(words, options);
  assert.ok([expected].flat().includes(status), `status ${status}: ${words.join(' ')}: ${text.slice(-2000)}`);
  return text;
};

// Visits the page that a command tells of, once.
const PAGE = /"url":"(http[^"]*\/authorize\?[^"]+)"/;
function visiting() {
  let visited;
  return text => {
    const page = text.match(PAGE)?.[1];
    if (page !== undefined) visited ??= fetch(page).catch(() => {});
  };
}

// Servers, and what they log.
const servers = [];
async function serving(options, env) {
  const log = [];
  const { url, stop } = await serve([...options, ...LOUD, '--log-format', servers.length % 2 ? 'json' : 'text'], env, {
    log,
  });
  servers.push(log);
  return { url, stop };
}

const file = (name, text) => {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
};

const askerSecret = planted('the secret of a server');
const { url, stop } = await serving(['--auth-issuer', issuer, '--require-scope', 'notes:read']);
next.resource = url;
const batchSecret = planted('the secret of a client');
const batch = ['--client-id', 'batch', '--issuer', issuer];
const moods = ['refuses', 'refuses clients', 'fails', 'redirects', 'is strange', 'is broken'];
const inEveryMood = async action => {
  for (next.mood of moods) await action();
  next.mood = 'gives';
};

await step('a person logs in, and uses it', async () => {
  await ends(0, ['login', url, '--json'], { see: visiting() });
  await ends(0, ['ls', url]);
  await ends(0, ['ls', url, '--revision', '2025-11-25', '--json']);
  await ends(0, ['call', url, 'tree', '--time']);
  await ends(0, ['logins'], { record: false });
  await ends(0, ['logins', '--json'], { record: false });
});

await step('a login fails', () =>
  inEveryMood(async () => {
    await ends([3, 7, 1], ['login', url, '--json', '--force'], { see: visiting() });
  }),
);

await step('a renewal fails, and works', async () => {
  next.lasts = 1;
  await ends(0, ['login', url, '--json', '--force'], { see: visiting() });
  await new Promise(done => setTimeout(done, 1100));
  await inEveryMood(async () => {
    const { text } = await run(['ls', url]);
    assert.ok(text.length > 0);
    if (/plainly login/.test(text)) {
      // It was forgotten.
      const before = next.mood;
      next.mood = 'gives';
      await ends(0, ['login', url, '--json', '--force'], { see: visiting() });
      next.mood = before;
    }
  });
  await ends(0, ['ls', url]);
  next.lasts = 300;
});

await step('a login ends', async () => {
  next.mood = 'refuses';
  await run(['logout', url]);
  next.mood = 'gives';
  await ends(0, ['login', url, '--json'], { see: visiting() });
  await ends(0, ['logout', url]);
  await ends(0, ['logout', '--all'], { record: false });
});

await step('a person logs in at another device', async () => {
  await ends(0, ['login', url, '--json', '--device']);
  await inEveryMood(() => run(['login', url, '--json', '--device', '--force']));
  await ends(0, ['logins', '--json'], { record: false });
});

await step('a person types where their browser ended', async () => {
  // First what is of another login, and then what is right.
  const other = `http://127.0.0.1:1/callback?code=${planted('a code of another login')}&state=x`;
  let visited;
  const see = (text, child) => {
    const page = text.match(PAGE)?.[1];
    if (page === undefined || visited !== undefined) return;
    visited = fetch(page, { redirect: 'manual' }).then(answer =>
      child.stdin.end(`${other}\n${answer.headers.get('location')}\n`),
    );
  };
  await ends(0, ['login', url, '--json', '--no-browser', '--force'], { see, typed: null });
});

await step('a person at a terminal, whose browser is opened', async () => {
  const opened = join(folder, 'opened.txt');
  const browser = file(
    'browser.mjs',
    `import { appendFileSync } from 'node:fs';
appendFileSync(${JSON.stringify(opened)}, process.argv.join('\\n') + '\\n');
await fetch(process.argv.at(-1));`,
  );
  const command = [plainly, 'login', url, '--force', ...LOUD, '--trace=full'].map(word => `'${word}'`).join(' ');
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: {
      ...process.env,
      XDG_STATE_HOME: state,
      HOME: folder,
      BROWSER: `${process.execPath} ${browser}`,
      TERM: 'xterm',
      CI: '',
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', part => (text += part));
  const limit = setTimeout(() => child.kill(), 20_000);
  const status = await new Promise(done => child.on('close', done));
  clearTimeout(limit);
  written.push(['login at a terminal', text], ['the arguments of the browser', readFileSync(opened, 'utf8')]);
  assert.equal(status, 0, text.slice(-2000));
});

await step('a token is bound to a key', async () => {
  await ends(0, ['login', url, '--json', '--force', '--dpop'], { see: visiting() });
  await ends(0, ['ls', url]);
  await inEveryMood(() => run(['login', url, '--json', '--force', '--dpop'], { see: visiting() }));
});

await step('a client needs nobody', async () => {
  const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
  for (const line of pem.split('\n').slice(1, -2)) secret('a private key', line);
  const key = file('key.pem', pem);
  const workload = await accessToken({ aud: issuer, sub: 'workload' });
  for (const [words, env] of [
    [[...batch, '--client-secret', 'env:S'], { S: batchSecret }],
    [[...batch, '--client-secret', `@${file('secret.txt', `${batchSecret}\n`)}`], {}],
    [[...batch, '--client-key', key], {}],
    [[...batch, '--client-secret', 'env:S', '--dpop'], { S: batchSecret }],
    [['--workload-token', file('workload.jwt', workload), '--issuer', issuer, '--client-id', 'w'], {}],
    [[], { PLAINLY_CLIENT_ID: 'batch', PLAINLY_CLIENT_SECRET: batchSecret, PLAINLY_ISSUER: issuer }],
  ]) {
    const fresh = { ...env, XDG_STATE_HOME: unattendedState };
    await ends(0, ['ls', url, ...words], { env: fresh });
    await inEveryMood(() => run(['ls', url, ...words], { env: fresh }));
  }
});

await step('a token is given, good and bad', async () => {
  const good = await accessToken();
  const bad = planted('a bad token');
  await ends(0, ['ls', url, '--bearer', 'env:T'], { env: { T: good } });
  await ends(0, ['ls', url, '--bearer', `@${file('token.txt', good)}`]);
  await ends(0, ['ls', url, '--bearer', '@-'], { typed: `${good}\n` });
  await ends(0, ['ls', url, '--header', 'Authorization: Bearer ${T}'], { env: { T: good } });
  await ends(0, ['ls', url, '--header', `@${file('header.txt', `Authorization: Bearer ${good}\n`)}`]);
  await ends(7, ['ls', url, '--bearer', 'env:T', '--json'], { env: { T: bad } });
  await ends(7, ['ls', url, '--bearer', 'env:T'], { env: { T: `${good.slice(0, -4)}AAAA` } });
  await ends(7, ['ls', url, '--header', 'Authorization: Bearer ${T}'], { env: { T: bad } });
  await run(['ls', url, '--bearer', 'env:T'], { env: { T: `${bad}\nX: y` } });
  await run(['ls', 'http://plainly.invalid/mcp', '--bearer', 'env:T'], { env: { T: bad } });
});

await step('a server repeats what it was sent', async () => {
  for (next.refusing of [401, 403, 400, 500, 200]) {
    const token = planted('a repeated token');
    const header = planted('a repeated header');
    for (const format of [[], ['--json']]) {
      await run(['ls', `${parrot}/mcp`, '--bearer', 'env:T', ...format], { env: { T: token } });
      await run(['ls', `${parrot}/mcp`, '--header', 'X-Api-Key: ${T}', ...format], { env: { T: header } });
      await run(['ls', `${parrot}/mcp`, '--bearer', 'env:T', '--no-login', ...format], {
        env: { T: token },
        loud: false,
        record: false,
      });
      await run(['ls', `${parrot}/mcp`, '--header', 'X-Api-Key: ${T}', ...format], {
        env: { T: header },
        loud: false,
        record: false,
      });
    }
  }
});

await step('a secret is where none belongs', async () => {
  const misplaced = planted('a secret in a wrong option');
  const inUrl = planted('a secret in a URL');
  const at = url.replace('http://', `http://ada:${inUrl}@`);
  for (const words of [
    ['ls', url, '--client-id', 'batch', '--client-secret', misplaced],
    ['ls', url, '--client-id', 'batch', '--client-key', 'env:S', '--issuer', issuer],
    ['ls', url, '--header', `Authorization ${misplaced}`],
    ['ls', url, '--header', `Authorization: Bearer ${misplaced}\u0001`],
    ['ls', at],
    ['login', at, '--json', '--no-login'],
    ['logout', at],
    ['ls', `${url}?access_token=${inUrl}`, '--no-login'],
    ['ls', `${url}?api_key=${inUrl}`, '--no-login', '--json'],
  ]) {
    await run(words, { env: { S: misplaced } });
  }
  await run(['ls', url], { env: { PLAINLY_CLIENT_ID: 'batch', PLAINLY_CLIENT_SECRET: misplaced } });
  await run(['serve', folder, '--auth-introspect', issuer, '--auth-client', 'a', '--auth-client-secret', misplaced], {
    record: false,
  });
});

await step('a server is given tokens in every way', async () => {
  const token = await accessToken();
  const opaque = planted('a token in a wrong place');
  const headed = headers => fetch(url, { method: 'POST', body: '{}', headers }).then(answer => answer.text());
  const given = [
    await headed({ authorization: `Bearer ${opaque}` }),
    await headed({ authorization: `Bearer ${token}x` }),
    await headed({ authorization: `Basic ${btoa(`ada:${opaque}`)}` }),
    await headed({ authorization: opaque }),
    await headed({ authorization: `Bearer ${opaque}, Bearer ${opaque}` }),
    await headed({ authorization: `DPoP ${token}`, dpop: opaque }),
    await headed({ authorization: `Bearer ${token}` }),
    await headed({ 'x-api-key': opaque, cookie: `session=${opaque}` }),
    await (await fetch(`${url}?access_token=${opaque}`, { method: 'POST', body: `access_token=${opaque}` })).text(),
    await (await fetch(`${new URL(url).origin}/${opaque}?token=${opaque}`)).text(),
  ];
  secret('a pair of a name and a secret', btoa(`ada:${opaque}`));
  given.forEach((text, at) => written.push([`answer ${at} of the server`, text]));
});

await step('a server asks about tokens', async () => {
  const options = ['--auth-introspect', issuer, '--auth-client', 'asker', '--auth-client-secret', 'env:ASKER'];
  const asking = await serving(options, { ASKER: askerSecret });
  next.resource = asking.url;
  for (next.mood of ['gives', 'refuses', 'fails', 'is strange']) {
    const token = planted('an opaque token');
    await run(['ls', asking.url, '--bearer', 'env:T'], { env: { T: token } });
  }
  next.mood = 'gives';
  asking.stop();
});

await step('a server has keys', async () => {
  const keys = join(folder, 'keys.json');
  const made = await run(['key', 'new', 'ada', '--file', keys], { record: false });
  const key = secret('a key', made.text.match(/plk_[\w-]+/)[0]);
  // Here it is shown, once.
  written.splice(-2);
  const keyed = await serving(['--auth-keys', keys]);
  await ends(0, ['ls', keyed.url, '--bearer', 'env:T'], { env: { T: key } });
  await ends(7, ['ls', keyed.url, '--bearer', 'env:T'], { env: { T: secret('half a key', key.slice(0, -6)) } });
  written.push(['the file of keys', readFileSync(keys, 'utf8')]);
  writeFileSync(keys, `{"keys": "${key}"`);
  await run(['ls', keyed.url, '--bearer', 'env:T'], { env: { T: key } });
  chmodSync(keys, 0o644);
  await run(['ls', keyed.url, '--bearer', 'env:T'], { env: { T: key } });
  keyed.stop();
});

await step('what is kept is kept in one file, for its owner alone', () => {
  const keeping = [];
  for (const directory of [state, unattendedState]) {
    for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath ?? entry.path, entry.name);
      const { mode } = statSync(path);
      if (entry.isDirectory()) continue;
      const names = found(readFileSync(path, 'latin1'));
      if (names.length > 0) {
        keeping.push(entry.name);
        assert.equal(mode & 0o777, 0o600, path);
        assert.equal(statSync(join(path, '..')).mode & 0o777, 0o700, path);
      }
      for (const what of [
        'an ID token',
        'a code',
        'code_verifier',
        'device_code',
        'the credentials of a client',
        'a private key',
      ]) {
        assert.ok(!names.some(name => name.startsWith(what)), `${path} has ${what}`);
      }
    }
  }
  assert.deepEqual([...new Set(keeping)], ['credentials.json']);
});

await step('what is kept is damaged', async () => {
  next.resource = url;
  await ends(0, ['login', url, '--json', '--force'], { see: visiting() });
  const kept = join(state, 'plainly', 'credentials.json');
  const text = readFileSync(kept, 'utf8');
  const value = secret('a kept token', text.match(/"refresh_token": "([^"]+)"/)[1]);
  for (const damaged of [
    text.slice(0, text.indexOf(value) + value.length),
    text.replace(/"grants": \[/, `"grants": "${value}", "x": [`),
    text.replace(/"expires_at": \d+/, `"expires_at": "${value}"`),
    text.replace('"version"', `"${value}"`),
    text.replace(/"version": \d+/, `"version": "${value}"`),
    value,
  ]) {
    writeFileSync(kept, damaged);
    for (const words of [['logins'], ['logins', '--json'], ['ls', url], ['logout', '--all'], ['login', url, '--json']]) {
      await ends([0, 1, 7], words, { record: words[0] === 'ls' });
      writeFileSync(kept, damaged);
    }
  }
});

stop();
for (const log of servers) written.push(['the log of a server', log.join('')]);

await step('no secret was written anywhere', () => {
  const shown = new Map();
  for (const [where, text] of written) {
    for (const name of found(text)) {
      const line = text.split('\n').find(it => found(it).includes(name)) ?? '';
      shown.set(`${name} in: ${where.slice(0, 200)}`, line.slice(0, 400));
    }
  }
  const lines = [...shown].map(([what, line]) => `${what}\n      ${line}`);
  assert.equal(lines.length, 0, `${lines.length} times:\n${lines.join('\n')}`);
  const characters = written.reduce((sum, [, text]) => sum + text.length, 0);
  return `${secrets.size} secrets, ${runs} commands, ${characters} characters`;
});

end();
