// A server on the official TypeScript SDK whose resource, resources and tools change all the time, for whoever subscribes,
// and a resource without contents.
// usage: node changing.mjs stdio | http   (over HTTP its URL is its first line of output)

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const URI = 'db://rows/1';
const EVERY_MS = 100;
const capabilities = { resources: { subscribe: true, listChanged: true }, tools: { listChanged: true } };
const servers = new Set();

function makeServer() {
  const made = new McpServer({ name: 'changing', version: '1.0.0' }, { capabilities });
  made.registerResource('row', URI, {}, async () => ({ contents: [{ uri: URI, text: `${Date.now()}` }] }));
  made.registerResource('nothing', 'db://rows/0', {}, async () => ({ contents: [] }));
  made.server.setRequestHandler('resources/subscribe', async () => ({}));
  made.server.setRequestHandler('resources/unsubscribe', async () => ({}));
  servers.add(made.server);
  return made;
}

function tellSessions() {
  for (const server of servers) {
    // Fails for those that have no connection yet, or none any more.
    server.sendResourceUpdated({ uri: URI }).catch(() => {});
    server.sendResourceListChanged().catch(() => {});
    server.sendToolListChanged().catch(() => {});
  }
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks));
}

function serveHttp() {
  const modern = createMcpHandler(makeServer, { legacy: 'reject' });
  const serveModern = toNodeHandler(modern);
  const sessions = new Map();
  const http = createServer(async (request, response) => {
    const session = sessions.get(request.headers['mcp-session-id']);
    if (session !== undefined) return session.handleRequest(request, response);
    const body = await bodyOf(request);
    if (body?.method !== 'initialize') return serveModern(request, response, body);
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: id => sessions.set(id, transport),
    });
    await makeServer().connect(transport);
    return transport.handleRequest(request, response, body);
  });
  http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
  setInterval(() => {
    modern.notify.resourceUpdated(URI);
    modern.notify.resourcesChanged();
    modern.notify.toolsChanged();
  }, EVERY_MS);
  process.on('SIGTERM', async () => {
    await modern.close();
    process.exit(0);
  });
}

setInterval(tellSessions, EVERY_MS);
if (process.argv[2] === 'stdio') {
  serveStdio(makeServer);
} else {
  serveHttp();
}
