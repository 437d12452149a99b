// An authorization server on this machine: the certified `oidc-provider`, with all that MCP asks of one. Tokens are for the
// resource that was asked for.

import { createServer } from 'node:http';

import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';

// A client that is told of beforehand, and that needs nobody.
export const BATCH = { id: 'batch', secret: 'batch-secret' };
// One that asks what tokens are worth.
export const ASKER = { id: 'asker', secret: 'asker-secret' };

// A public client, at one that registers nobody.
export const PUBLIC = { id: 'everybody' };
// What such a one calls every server.
export const AUDIENCE = 'api://notes';

// The last one may be asked for, and is given for no resource.
const SCOPES = ['openid', 'offline_access', 'notes:read', 'notes:write', 'notes:burn'];

async function key() {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { ...jwk, use: 'sig', alg: 'ES256', kid: await calculateJwkThumbprint(jwk) };
}

const publicClient = {
  client_id: PUBLIC.id,
  token_endpoint_auth_method: 'none',
  application_type: 'native',
  grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
  response_types: ['code'],
  redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback', 'http://127.0.0.1/'],
};

function configuration(jwks, seconds, format, pages, reserved) {
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
      ...(reserved ? [publicClient] : []),
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
      ...(!reserved && { clientIdMetadataDocument: { enabled: true, ack: 'draft-02' } }),
      deviceFlow: { enabled: true },
      dPoP: { enabled: true },
      introspection: { enabled: true, allowedPolicy: async () => true },
      registration: { enabled: !reserved },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: async () => undefined,
        useGrantedResource: async () => true,
        getResourceServerInfo: async (_, resource) => ({
          scope: 'notes:read notes:write',
          audience: reserved ? AUDIENCE : resource,
          accessTokenTTL: seconds,
          accessTokenFormat: format,
          ...(format === 'jwt' && { jwt: { sign: { alg: 'ES256' } } }),
        }),
      },
    },
  };
}

// One that registers nobody has only OpenID Connect's metadata, and neither its name in answers nor PKCE in that metadata, as with
// Entra.
async function beReserved(context, next) {
  if (context.path === '/.well-known/oauth-authorization-server') {
    context.status = 404;
    return;
  }
  await next();
  if (context.path === '/.well-known/openid-configuration') {
    const { authorization_response_iss_parameter_supported, code_challenge_methods_supported, ...rest } = context.body;
    context.body = rest;
  }
  const location = context.response.get('location');
  if (location) context.set('location', location.replace(/&iss=[^&]*/, ''));
}

// Starts one whose access tokens last so many seconds, and are JWTs or opaque; `pages` are the origins of pages that are its
// client `page`. A `reserved` one registers nobody. `issuer` is its name, `seen` counts the requests by path, and `stop` ends
// it.
export async function start({ seconds = 3600, format = 'jwt', pages = [], reserved = false } = {}) {
  const server = createServer();
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  const issuer = `http://127.0.0.1:${server.address().port}`;
  // It warns of what is only for development: that it runs on this machine, and not for long.
  console.warn = () => {};
  console.info = () => {};
  const provider = new Provider(issuer, configuration([await key()], seconds, format, pages, reserved));
  if (reserved) provider.use(beReserved);
  const seen = {};
  const answer = provider.callback();
  server.on('request', (request, response) => {
    const path = request.url.split('?')[0];
    seen[path] = (seen[path] ?? 0) + 1;
    answer(request, response);
  });
  return { issuer, seen, stop: () => new Promise(done => server.close(done).closeAllConnections()) };
}
