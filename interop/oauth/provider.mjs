// An authorization server on this machine: the certified `oidc-provider`, with all that MCP asks of one. Tokens are for the
// resource that was asked for.

import { createServer } from 'node:http';

import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';

// A client that is told of beforehand, and that needs nobody.
export const BATCH = { id: 'batch', secret: 'batch-secret' };
// One that asks what tokens are worth.
export const ASKER = { id: 'asker', secret: 'asker-secret' };

// The last one may be asked for, and is given for no resource.
const SCOPES = ['openid', 'offline_access', 'notes:read', 'notes:write', 'notes:burn'];

async function key() {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { ...jwk, use: 'sig', alg: 'ES256', kid: await calculateJwkThumbprint(jwk) };
}

function configuration(jwks, seconds, format, pages) {
  return {
    jwks: { keys: jwks },
    clients: [
      ...[BATCH, ASKER].map(({ id, secret }) => ({
        client_id: id,
        client_secret: secret,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        scope: 'notes:read notes:write',
      })),
      ...pages.map(origin => ({ client_id: 'page', redirect_uris: [`${origin}/`], token_endpoint_auth_method: 'none' })),
    ],
    clientBasedCORS: (_, origin) => pages.includes(origin),
    scopes: SCOPES,
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    cookies: { keys: ['interop'] },
    ttl: { AccessToken: seconds, ClientCredentials: seconds },
    rotateRefreshToken: true,
    issueRefreshToken: async (_, client, code) => client.grantTypeAllowed('refresh_token') && code.scopes.has('offline_access'),
    features: {
      clientCredentials: { enabled: true },
      clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
      deviceFlow: { enabled: true },
      dPoP: { enabled: true },
      introspection: { enabled: true, allowedPolicy: async () => true },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: async () => undefined,
        useGrantedResource: async () => true,
        getResourceServerInfo: async (_, resource) => ({
          scope: 'notes:read notes:write',
          audience: resource,
          accessTokenTTL: seconds,
          accessTokenFormat: format,
          ...(format === 'jwt' && { jwt: { sign: { alg: 'ES256' } } }),
        }),
      },
    },
  };
}

// Starts one whose access tokens last so many seconds, and are JWTs or opaque; `pages` are the origins of pages that are its
// client `page`. `issuer` is its name, `seen` counts the requests by path, and `stop` ends
// it.
export async function start({ seconds = 3600, format = 'jwt', pages = [] } = {}) {
  const server = createServer();
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  const issuer = `http://127.0.0.1:${server.address().port}`;
  // It warns of what is only for development: that it runs on this machine, and not for long.
  console.warn = () => {};
  console.info = () => {};
  const provider = new Provider(issuer, configuration([await key()], seconds, format, pages));
  const seen = {};
  const answer = provider.callback();
  server.on('request', (request, response) => {
    const path = request.url.split('?')[0];
    seen[path] = (seen[path] ?? 0) + 1;
    answer(request, response);
  });
  return { issuer, seen, stop: () => new Promise(done => server.close(done).closeAllConnections()) };
}
