// The official TypeScript SDK's client of older revisions against a server that does everything (the example `everything`):
// over HTTP with SSE, and where it has to come again for the rest of a stream.
// usage: node legacy.mjs PATH_OF_THE_EXAMPLE|URL

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

import { argument, end, step } from './harness.mjs';

const TEXT = 'This is a simple text response for testing.';

async function start(command) {
  if (URL.canParse(command)) return new URL(command).origin;
  const server = spawn(command, ['127.0.0.1:0'], { stdio: ['ignore', 'ignore', 'pipe'] });
  process.on('exit', () => server.kill());
  for await (const line of createInterface({ input: server.stderr })) {
    const url = line.match(/http:\/\/127\.0\.0\.1:\d+/)?.[0];
    if (url !== undefined) {
      server.stderr.resume();
      return url;
    }
  }
  throw new Error('the server ended without saying its address');
}

async function connected(transport) {
  const client = new Client(
    { name: 'interop', version: '1.0.0' },
    { versionNegotiation: { mode: 'legacy' }, capabilities: { elicitation: { form: {} } } },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => ({
    action: 'accept',
    content: Object.fromEntries(Object.keys(params.requestedSchema.properties).map(name => [name, 'ada'])),
  }));
  await client.connect(transport);
  return client;
}

async function call(client, name, options) {
  const { content, isError } = await client.callTool({ name, arguments: {} }, options);
  const text = content.map(({ text }) => text).join('');
  assert.ok(!isError, text);
  return text;
}

// A `fetch` that loses the connection of a call once its stream has told of progress, and the requests that went through it.
function losing() {
  const sent = [];
  let isToBeLost = true;
  const fetching = async (url, init) => {
    const response = await fetch(url, init);
    sent.push({ method: init.method, after: new Headers(init.headers).get('last-event-id') });
    const isStream = response.headers.get('content-type') === 'text/event-stream';
    if (!isToBeLost || init.method !== 'POST' || !isStream) return response;
    isToBeLost = false;
    const reader = response.body.getReader();
    const body = new ReadableStream({
      async pull(controller) {
        const { value, done } = await reader.read();
        if (done) return controller.close();
        controller.enqueue(value);
        if (Buffer.from(value).includes('notifications/progress')) {
          await reader.cancel();
          controller.error(new Error('the connection was lost'));
        }
      },
    });
    return new Response(body, { status: response.status, headers: response.headers });
  };
  return { fetching, sent };
}

const origin = await start(argument('node legacy.mjs PATH_OF_THE_EXAMPLE|URL'));

let old;
const isOpen = await step('HTTP with SSE: connect', async () => {
  old = await connected(new SSEClientTransport(new URL('/sse', origin)));
  return old.getNegotiatedProtocolVersion();
});
if (isOpen) {
  await step('HTTP with SSE: list', async () => {
    const { tools } = await old.listTools();
    assert.ok(tools.some(({ name }) => name === 'test_simple_text'));
  });
  await step('HTTP with SSE: call', async () => assert.equal(await call(old, 'test_simple_text'), TEXT));
  await step('HTTP with SSE: progress', async () => {
    const heard = [];
    await call(old, 'test_tool_with_progress', { onprogress: ({ progress }) => heard.push(progress) });
    assert.deepEqual(heard, [0, 50, 100]);
  });
  await step('HTTP with SSE: side by side', async () => {
    const texts = await Promise.all(Array.from({ length: 20 }, () => call(old, 'test_simple_text')));
    assert.deepEqual(new Set(texts), new Set([TEXT]));
  });
  await step('HTTP with SSE: fail', () => assert.rejects(old.readResource({ uri: 'test://nope' }), { code: -32602 }));
  await old.close();
}

const { fetching, sent } = losing();
const transport = new StreamableHTTPClientTransport(new URL('/mcp', origin), { fetch: fetching });
const client = await connected(transport);
await step('a lost connection: the rest is heard on another', async () => {
  const heard = [];
  const text = await call(client, 'test_tool_with_progress', { onprogress: ({ progress }) => heard.push(progress) });
  assert.deepEqual(heard, [0, 50, 100]);
  const again = sent.filter(({ after }) => after !== null);
  assert.equal(again.length, 1);
  assert.equal(again[0].method, 'GET');
  return `after ${again[0].after}: ${text}`;
});
await step('a stream that the server closes: the client polls', async () => {
  const before = sent.length;
  const text = await call(client, 'test_reconnection');
  assert.deepEqual(sent.slice(before).map(({ method }) => method), ['POST', 'GET']);
  return text;
});
await client.close();
end();
