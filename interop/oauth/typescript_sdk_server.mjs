// A server on the official TypeScript SDK that lets in who has a token of its own authorization server, the one of the SDK's
// first version: it asks people whether they agree, and gives no refresh token twice. A tool of it wants more than the rest.
// usage: node typescript_sdk_server.mjs   (its URL is its first line of output; then it obeys `expire`, `revoke` and `forget`)

import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

import { createMcpExpressApp, getOAuthProtectedResourceMetadataUrl, requireBearerAuth } from '@modelcontextprotocol/express';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer, OAuthError, OAuthErrorCode, requireScopes } from '@modelcontextprotocol/server';
import { InvalidGrantError, mcpAuthRouter } from '@modelcontextprotocol/server-legacy/auth';
import express from 'express';

const SECONDS = 3600;

const random = () => randomBytes(32).toString('base64url');

// What the authorization server knows.
class Accounts {
  clients = new Map();
  asked = new Map();
  codes = new Map();
  access = new Map();
  refresh = new Map();

  clientsStore = {
    getClient: id => this.clients.get(id),
    registerClient: client => {
      this.clients.set(client.client_id, client);
      return client;
    },
  };

  async authorize(client, { state, scopes, redirectUri, codeChallenge, resource }, response) {
    const asked = random();
    this.asked.set(asked, { of: { clientId: client.client_id, scopes, resource }, state, redirectUri, codeChallenge });
    response.send(`<form method="post" action="/consent"><input type="hidden" name="asked" value="${asked}"></form>
<a href="/refuse?asked=${asked}">Cancel</a>`);
  }

  // Where the browser of somebody who has answered goes.
  answered(asked, parameters, issuer) {
    const { state, redirectUri } = this.asked.get(asked);
    const url = new URL(redirectUri);
    for (const [name, value] of Object.entries({ ...parameters, state, iss: issuer })) url.searchParams.set(name, value);
    return url.href;
  }

  agreed(asked, issuer) {
    const code = random();
    this.codes.set(code, this.asked.get(asked));
    return this.answered(asked, { code }, issuer);
  }

  async challengeForAuthorizationCode(_client, code) {
    return this.codes.get(code)?.codeChallenge ?? '';
  }

  async exchangeAuthorizationCode(_client, code) {
    return this.#tokens(this.#once(this.codes, code).of);
  }

  async exchangeRefreshToken(_client, token, scopes) {
    const of = this.#once(this.refresh, token);
    return this.#tokens({ ...of, scopes: scopes ?? of.scopes });
  }

  #once(from, key) {
    const found = from.get(key);
    if (found === undefined) throw new InvalidGrantError('it is not known');
    from.delete(key);
    return found;
  }

  #tokens(of) {
    const [access, refresh] = [random(), random()];
    this.access.set(access, { ...of, expiresAt: Date.now() / 1000 + SECONDS });
    this.refresh.set(refresh, of);
    const scope = of.scopes.join(' ');
    return { access_token: access, token_type: 'bearer', expires_in: SECONDS, refresh_token: refresh, scope };
  }

  async verifyAccessToken(token) {
    const found = this.access.get(token);
    if (found === undefined) throw new OAuthError(OAuthErrorCode.InvalidToken, 'it is not known');
    return { token, ...found };
  }

  async revokeToken(_client, { token }) {
    this.access.delete(token);
    this.refresh.delete(token);
  }
}

function makeServer() {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  const says = text => async () => ({ content: [{ type: 'text', text }] });
  server.registerTool('read', { description: 'Reads the note.' }, says('Be kind.'));
  const scopeChallenge = requireScopes('notes:write');
  server.registerTool('write', { description: 'Writes the note.', scopeChallenge }, says('Written.'));
  return server;
}

const http = createServer();
await new Promise(done => http.listen(0, '127.0.0.1', done));
const issuerUrl = new URL(`http://127.0.0.1:${http.address().port}`);
const url = new URL('/mcp', issuerUrl);
const accounts = new Accounts();
const app = createMcpExpressApp();
app.use(
  mcpAuthRouter({
    provider: accounts,
    issuerUrl,
    resourceServerUrl: url,
    scopesSupported: ['notes:read', 'notes:write'],
    clientRegistrationOptions: { rateLimit: false },
  }),
);
app.post('/consent', express.urlencoded({ extended: false }), (request, response) =>
  response.redirect(accounts.agreed(request.body.asked, issuerUrl.href)),
);
app.get('/refuse', (request, response) =>
  response.redirect(accounts.answered(request.query.asked, { error: 'access_denied' }, issuerUrl.href)),
);
const handle = toNodeHandler(createMcpHandler(makeServer));
app.all(
  '/mcp',
  requireBearerAuth({
    verifier: accounts,
    requiredScopes: ['notes:read'],
    resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(url),
    expectedResource: url,
  }),
  (request, response) => handle(request, response, request.body),
);
http.on('request', app);
console.log(url.href);

const revoke = () => {
  accounts.access.clear();
  accounts.refresh.clear();
};
const commands = {
  expire: () => accounts.access.clear(),
  revoke,
  forget: () => {
    revoke();
    accounts.clients.clear();
  },
};
for await (const line of createInterface({ input: process.stdin })) {
  commands[line]();
  console.log('done');
}
process.exit(0);
