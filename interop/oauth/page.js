// A page with the official SDK's client, for pages.mjs, which bundles it: `use` calls a server, `login` logs in first.

import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';

const NOTE = 'file:///files/note.txt';

async function connected(url, mode, options) {
  const client = new Client({ name: 'page', version: '1' }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL(url), options);
  await client.connect(transport);
  return { client, transport };
}

async function read(client) {
  const { contents } = await client.readResource({ uri: NOTE });
  return contents[0].text;
}

// All that a client does: requests, an error, and a change that it hears of, which comes once `window.listens` is true.
window.use = async (url, mode) => {
  const { client, transport } = await connected(url, mode);
  const changed = new Promise(done => client.setNotificationHandler('notifications/resources/updated', done));
  const { tools } = await client.listTools();
  const found = await client.callTool({ name: 'search', arguments: { glob: '*.txt' } });
  const missing = await client.readResource({ uri: 'file:///files/nothing' }).catch(error => error.code);
  if (mode === 'legacy') await client.subscribeResource({ uri: NOTE });
  else await client.listen({ resourceSubscriptions: [NOTE] });
  const text = await read(client);
  window.listens = true;
  const { params } = await changed;
  const session = transport.sessionId;
  if (session !== undefined) await transport.terminateSession();
  await client.close();
  return { tools: tools.length, found: found.content[0].text, missing, text, changed: params.uri, hasSession: session !== undefined };
};

// What a bare request may read of the answer: its status and a header; or that the browser forbids it.
window.ask = async (url, options, header) => {
  const answer = await fetch(url, options).catch(error => error);
  return answer instanceof Error ? `${answer}` : [answer.status, answer.headers.get(header)];
};

// Keeps across the visit to the authorization server what the SDK wants to have kept.
const kept = {
  get: name => JSON.parse(sessionStorage.getItem(name) ?? 'null') ?? undefined,
  set: (name, value) => sessionStorage.setItem(name, JSON.stringify(value)),
};

function account() {
  const redirect = `${location.origin}/`;
  return {
    redirectUrl: redirect,
    clientMetadata: { client_name: 'page', redirect_uris: [redirect], token_endpoint_auth_method: 'none' },
    state: () => 'page-state',
    clientInformation: () => kept.get('client') ?? { client_id: 'page' },
    saveClientInformation: client => kept.set('client', client),
    tokens: () => kept.get('tokens'),
    saveTokens: tokens => kept.set('tokens', tokens),
    codeVerifier: () => kept.get('verifier'),
    saveCodeVerifier: verifier => kept.set('verifier', verifier),
    discoveryState: () => kept.get('discovery'),
    saveDiscoveryState: state => kept.set('discovery', state),
    redirectToAuthorization: url => setTimeout(() => location.assign(url)),
  };
}

// Goes to the authorization server, and is called again where that sends the person back to.
window.login = async (url, mode) => {
  const options = { authProvider: account() };
  if (location.search !== '') {
    const returning = new StreamableHTTPClientTransport(new URL(url), options);
    await returning.finishAuth(new URLSearchParams(location.search));
  }
  try {
    const { client } = await connected(url, mode, options);
    const text = await read(client);
    await client.close();
    return text;
  } catch (error) {
    if (error instanceof UnauthorizedError) return 'leaves';
    throw error;
  }
};
