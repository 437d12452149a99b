// The page of the example `app` in Chromium, in a host on the official SDK for apps: what it shows, asks for, and can't do.
// usage: node apps.mjs PATH_OF_EXAMPLE PATH_OF_CHROMIUM [FOLDER_FOR_PICTURES]

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { join } from 'node:path';

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { getToolUiResourceUri, RESOURCE_MIME_TYPE } from '@modelcontextprotocol/ext-apps/app-bridge';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';

const [command, executablePath, pictures] = process.argv.slice(2);
const { outputFiles } = await build({
  entryPoints: [new URL('host.js', import.meta.url).pathname],
  bundle: true,
  format: 'iife',
  platform: 'browser',
  write: false,
});
const files = {
  '/': ['text/html', '<!doctype html><link rel="icon" href="data:,"><iframe sandbox="allow-scripts"></iframe><script src="/host.js"></script>'],
  '/host.js': ['text/javascript', outputFiles[0].text],
};

// The policy of a page's frame, as the extension asks hosts to build it: what the page does not list, it can't use.
function policy({ connectDomains = [], resourceDomains = [] } = {}) {
  const loads = `'unsafe-inline' ${resourceDomains.join(' ')}`;
  const connects = connectDomains.join(' ') || "'none'";
  return `default-src 'none'; script-src ${loads}; style-src ${loads}; connect-src ${connects}`;
}

const server = createServer(({ url }, response) => {
  const [type, body, csp] = files[url];
  response.setHeader('content-type', type);
  if (csp !== undefined) response.setHeader('content-security-policy', csp);
  response.end(body);
});
await new Promise(done => server.listen(0, '127.0.0.1', done));
const origin = `http://127.0.0.1:${server.address().port}`;
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-background-networking'] });

for (const mode of ['auto', 'legacy']) {
  const extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: [RESOURCE_MIME_TYPE] } };
  const client = new Client({ name: 'host', version: '1' }, { versionNegotiation: { mode }, capabilities: { extensions } });
  await client.connect(new StdioClientTransport({ command }));
  const [tool] = (await client.listTools()).tools;
  const uri = getToolUiResourceUri(tool);
  const [content] = (await client.readResource({ uri })).contents;
  assert.equal(content.mimeType, RESOURCE_MIME_TYPE);
  assert.deepEqual(content._meta.ui.csp, { connectDomains: [], resourceDomains: [] });
  files['/app'] = ['text/html', content.text, policy(content._meta.ui.csp)];

  const page = await browser.newPage({ viewport: { width: 700, height: 500 } });
  const complaints = [];
  page.on('dialog', dialog => (complaints.push(`a script ran: ${dialog.message()}`), dialog.dismiss()));
  page.on('pageerror', error => complaints.push(`${error}`));
  page.on('console', message => message.type() === 'error' && complaints.push(message.text()));
  page.on('request', request => request.url().startsWith(origin) || complaints.push(`a request for ${request.url()}`));
  const calls = [];
  await page.exposeFunction('callTool', params => (calls.push(params), client.callTool(params)));
  await page.goto(origin);
  const given = { place: 'Oslo' };
  const result = await client.callTool({ name: tool.name, arguments: given });
  await page.evaluate(([given, result]) => window.open(given, result), [given, result]);
  const frame = page.frame({ url: `${origin}/app` });
  const shown = text => frame.waitForFunction(text => document.body.innerText.includes(text), text, { timeout: 10_000 });
  const give = result => page.evaluate(result => window.bridge.sendToolResult(result), result);

  // The chart of the result, in the host's theme, in a frame of its height.
  await shown('Mon\n4°');
  const heights = await frame.$$eval('li', bars => bars.map(bar => parseFloat(getComputedStyle(bar, '::before').height)));
  assert.deepEqual(heights, [68, 48, 20, 8, 28, 52, 60]);
  assert.equal(await frame.evaluate(() => document.documentElement.style.colorScheme), 'dark');
  await page.waitForFunction(() => document.querySelector('iframe').offsetHeight > 160);
  if (pictures) await page.screenshot({ path: join(pictures, `app-${mode}.png`) });

  // Another place: the page calls the tool through the host.
  await frame.selectOption('select', 'Lima');
  await shown('Mon\n19°');
  assert.deepEqual(calls.map(call => [call.name, call.arguments]), [['forecast', { place: 'Lima' }]]);

  // An error, and texts that would be scripts.
  const unknown = await client.callTool({ name: tool.name, arguments: { place: 'Rome' } });
  await give(unknown);
  await shown('Known places: Lima, Oslo, Perth');
  const hostile = '<img src=x onerror="alert(1)"><script>alert(2)</script>';
  await give({ content: [{ type: 'text', text: hostile }], isError: true });
  await shown(hostile);
  const days = [{ day: hostile, celsius: 1 }];
  await give({ content: [], structuredContent: { place: hostile, places: [hostile], days } });
  await shown(`${hostile}\n1°`);
  assert.equal(await frame.evaluate(() => document.images.length + document.scripts.length), 1);
  await give({ content: [{ type: 'text', text: JSON.stringify({ place: 'Bonn', places: ['Bonn'], days: [{ day: 'Tue', celsius: 2 }] }) }] });
  await shown('Tue\n2°');

  // The end, for which the host waits.
  await page.evaluate(() => window.bridge.teardownResource({}));
  assert.deepEqual(complaints, []);
  await page.close();
  await client.close();
  console.log(`ok    a client in mode ${mode}: chart, theme, size, a call from the page, an error, hostile texts, the end`);
}
await browser.close();
server.close();
