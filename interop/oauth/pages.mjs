// Pages in Chromium against `plainly serve`: the official SDK's client in a page of an allowed origin, in both eras, without and
// with a login; and pages of other origins, which reach nothing.
// usage: node pages.mjs PATH_OF_PLAINLY PATH_OF_CHROMIUM

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

import { build } from 'esbuild';
import { chromium } from 'playwright-core';

import { discovery, end, folder, serve, step } from './harness.mjs';
import { start } from './provider.mjs';

const note = join(folder, 'files', 'note.txt');
const { outputFiles } = await build({
  entryPoints: [new URL('page.js', import.meta.url).pathname],
  bundle: true,
  format: 'iife',
  platform: 'browser',
  write: false,
});
const script = outputFiles[0].text;

// A server of the page: an origin.
async function origin() {
  const server = createServer((request, response) => {
    const isScript = request.url === '/page.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : '<!doctype html><link rel="icon" href="data:,"><script src="/page.js"></script>');
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${server.address().port}`, stop: () => server.close().closeAllConnections() };
}

const browser = await chromium.launchPersistentContext(join(folder, 'browser'), {
  executablePath: process.argv[3],
  headless: true,
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});

async function page({ url }) {
  const opened = await browser.newPage();
  await opened.goto(`${url}/`);
  return opened;
}

const [allowed, foreign] = [await origin(), await origin()];
const open = await serve(['--allow-origin', allowed.url]);

for (const mode of ['auto', 'legacy']) {
  await step(`a page of an allowed origin calls, reads and hears of changes (${mode})`, async () => {
    writeFileSync(note, 'Be kind.');
    const opened = await page(allowed);
    const used = opened.evaluate(([url, mode]) => window.use(url, mode), [open.url, mode]);
    await opened.waitForFunction(() => window.listens);
    // A client of sessions opens the stream of changes when it likes.
    const writing = setInterval(() => writeFileSync(note, `Be kind. ${Date.now()}`), 200);
    const seen = await used.finally(() => clearInterval(writing));
    await opened.close();
    assert.deepEqual(seen, {
      tools: 6,
      found: 'file:///files/note.txt\n1 file or directory with a matching name.',
      missing: -32602,
      text: 'Be kind.',
      changed: 'file:///files/note.txt',
      hasSession: mode === 'legacy',
    });
  });
}

await step('a page of an allowed origin reads why a request is refused', async () => {
  const opened = await page(allowed);
  const ask = (url, options, header = 'content-type') =>
    opened.evaluate(args => window.ask(...args), [url, options, header]);
  const post = { method: 'POST', ...discovery };
  assert.deepEqual(await ask(open.url.replace('/mcp', '/other'), post), [404, 'application/json']);
  assert.deepEqual(await ask(open.url, { ...post, body: '{' }), [400, 'application/json']);
  assert.deepEqual(await ask(open.url, {}), [405, 'application/json']);
  // Cookies are never allowed.
  assert.match(await ask(open.url, { ...post, credentials: 'include' }), /Failed to fetch/);
  await opened.close();
});

await step('a page of another origin reaches nothing', async () => {
  const opened = await page(foreign);
  for (const mode of ['auto', 'legacy']) {
    const used = opened.evaluate(([url, mode]) => window.use(url, mode), [open.url, mode]);
    await assert.rejects(used, /Failed to fetch/);
  }
  await opened.close();
});
open.stop();

const provider = await start({ pages: [allowed.url] });
const guarded = await serve([
  '--allow-origin',
  allowed.url,
  '--auth-issuer',
  provider.issuer,
  '--require-scope',
  'notes:read',
]);

await step('a page reads the challenge', async () => {
  const opened = await page(allowed);
  const post = { method: 'POST', ...discovery };
  const args = [guarded.url, post, 'www-authenticate'];
  const [status, challenge] = await opened.evaluate(args => window.ask(...args), args);
  await opened.close();
  assert.equal(status, 401);
  assert.match(challenge, /^Bearer resource_metadata="/);
});

for (const mode of ['auto', 'legacy']) {
  await step(`a person logs in at a page (${mode})`, async () => {
    await browser.clearCookies();
    writeFileSync(note, 'Be kind.');
    const opened = await page(allowed);
    const login = () => opened.evaluate(([url, mode]) => window.login(url, mode), [guarded.url, mode]);
    assert.equal(await login(), 'leaves');
    await opened.fill('input[name=login]', 'ada');
    await opened.fill('input[name=password]', 'x');
    await opened.click('button[type=submit]');
    await opened.waitForURL(/\/interaction\//);
    await opened.click('button[type=submit]');
    await opened.waitForURL(`${allowed.url}/?**`);
    assert.equal(await login(), 'Be kind.');
    await opened.close();
  });
}

await browser.close();
guarded.stop();
await provider.stop();
allowed.stop();
foreign.stop();
end();
