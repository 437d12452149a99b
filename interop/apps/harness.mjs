// A host of apps in Chromium, on the official SDK: it opens the page of a tool in a sandbox, and watches what the page does.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { getToolUiResourceUri, RESOURCE_MIME_TYPE } from '@modelcontextprotocol/ext-apps/app-bridge';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';

const { outputFiles } = await build({
  entryPoints: [new URL('host.js', import.meta.url).pathname],
  bundle: true,
  format: 'iife',
  platform: 'browser',
  write: false,
});
const host = '<!doctype html><link rel="icon" href="data:,"><iframe sandbox="allow-scripts"></iframe><script src="/host.js"></script>';
const files = { '/': ['text/html', host], '/host.js': ['text/javascript', outputFiles[0].text] };

const server = createServer(({ url }, response) => {
  const [type, body, policy] = files[url];
  response.setHeader('content-type', type);
  if (policy !== undefined) response.setHeader('content-security-policy', policy);
  response.end(body);
});
await new Promise(done => server.listen(0, '127.0.0.1', done));
const origin = `http://127.0.0.1:${server.address().port}`;
const browser = await chromium.launch({
  executablePath: process.argv[3],
  args: ['--no-sandbox', '--disable-background-networking'],
});

// The policy of the frame, as the extension asks hosts to build it: what the page does not list, it can't use.
function policy({ connectDomains = [], resourceDomains = [] } = {}) {
  const loads = `'unsafe-inline' ${resourceDomains.join(' ')}`;
  const connects = connectDomains.join(' ') || "'none'";
  return `default-src 'none'; script-src ${loads}; style-src ${loads}; connect-src ${connects}`;
}

// A client that shows apps, of a server that it starts.
export async function connect(mode, command, args = []) {
  const extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: [RESOURCE_MIME_TYPE] } };
  const client = new Client({ name: 'host', version: '1' }, { versionNegotiation: { mode }, capabilities: { extensions } });
  await client.connect(new StdioClientTransport({ command, args }));
  return client;
}

// Calls the tool and shows its page. `complaints` has what no page may do, `calls` the calls of the page.
export async function open(client, name, given) {
  const tool = (await client.listTools()).tools.find(tool => tool.name === name);
  const [content] = (await client.readResource({ uri: getToolUiResourceUri(tool) })).contents;
  assert.equal(content.mimeType, RESOURCE_MIME_TYPE);
  assert.deepEqual(content._meta.ui.csp, { connectDomains: [], resourceDomains: [] });
  files['/app'] = ['text/html', content.text, policy(content._meta.ui.csp)];

  const page = await browser.newPage({ viewport: { width: 700, height: 500 } });
  const [complaints, calls, links] = [[], [], []];
  page.on('dialog', dialog => (complaints.push(`a script ran: ${dialog.message()}`), dialog.dismiss()));
  page.on('pageerror', error => complaints.push(`${error}`));
  page.on('console', message => message.type() === 'error' && complaints.push(message.text()));
  page.on('request', request => request.url().startsWith(origin) || complaints.push(`a request for ${request.url()}`));
  await page.exposeFunction('callTool', params => (calls.push(params), client.callTool(params)));
  await page.exposeFunction('openLink', ({ url }) => (links.push(url), {}));
  await page.goto(origin);
  const result = await client.callTool({ name, arguments: given });
  await page.evaluate(([given, result]) => window.open(given, result), [given, result]);
  const frame = page.frame({ url: `${origin}/app` });
  const includes = text => document.body.innerText.includes(text);
  return {
    page,
    frame,
    calls,
    links,
    // Waits until the page has this text.
    shown: text => frame.waitForFunction(includes, text, { timeout: 20_000 }),
    give: result => page.evaluate(result => window.bridge.sendToolResult(result), result),
    // The end, for which a host waits.
    async end() {
      await page.evaluate(() => window.bridge.teardownResource({}));
      assert.deepEqual(complaints, []);
      await page.close();
    },
  };
}

export async function stop() {
  await browser.close();
  server.close();
}
