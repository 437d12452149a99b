// The status page in Chromium: light and dark, wide and narrow, by keyboard, and as axe-core judges it.
// usage: node status.mjs PATH_OF_PLAINLY PATH_OF_CHROMIUM [FOLDER_FOR_PICTURES]

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { chromium } from 'playwright-core';

const [plainly, executablePath, pictures] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'status-'));
mkdirSync(join(folder, 'docs'));
writeFileSync(join(folder, 'docs', 'a.md'), 'hello');

const server = spawn(plainly, ['serve', join(folder, 'docs'), '--http', '127.0.0.1:0', '--admin', '127.0.0.1:0']);
let said = '';
server.stderr.on('data', text => (said += text));
while (!said.includes('status page')) await once(server.stderr, 'data');
const url = / at (http:\S+)/.exec(said)[1];
const admin = /metrics: (http:\S+)/.exec(said)[1];

// Requests, failures and a client whose name would be a script.
async function post(method, params) {
  const name = params.name ?? params.uri;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: '<script>alert(1)</script>', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  });
}
await post('resources/read', { uri: 'file:///docs/a.md' });
await post('resources/read', { uri: `file:///docs/${'long-name-'.repeat(20)}.md` });
await post('tools/call', { name: '<img src=x onerror=alert(1)>', arguments: {} });
await post('tools/call', { name: 'search', arguments: { pattern: 5 } });

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-background-networking'] });
for (const colorScheme of ['light', 'dark']) {
  for (const width of [360, 1280]) {
    // The page forbids all scripts; only axe-core and this test may run some.
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
    const page = await context.newPage();
    page.on('dialog', () => assert.fail('a script of a client ran'));
    const requests = [];
    page.on('request', request => requests.push(request.url()));
    await page.goto(admin);
    assert.deepEqual(requests.filter(it => it !== admin && !it.endsWith('/favicon.ico')), [], 'the page loads nothing');
    assert.equal(await page.evaluate(() => document.scripts.length + document.images.length), 0);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, `${width} pixels`);
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => axe.run());
    assert.deepEqual(violations.map(it => `${it.id}: ${it.nodes[0].html}`), [], `${colorScheme}, ${width} pixels`);
    // By keyboard: the link, then each table, which scrolls.
    const reached = [];
    for (let at = 0; at < 5; at++) {
      await page.keyboard.press('Tab');
      reached.push(await page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent));
    }
    assert.equal(reached[0], '/metrics');
    assert.equal(new Set(reached).size, 5, reached.join());
    if (pictures) await page.screenshot({ path: join(pictures, `status-${colorScheme}-${width}.png`), fullPage: true });
    await context.close();
  }
}
await browser.close();
server.kill();
assert.deepEqual(await once(server, 'exit'), [0, null]);
console.log('the status page is fine: light and dark, wide and narrow, by keyboard, and for axe-core');
