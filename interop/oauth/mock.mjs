// An authorization server on this machine that can be bent: `oauth2-mock-server`, which lets in everybody and asks nobody.

import { createServer } from 'node:http';

import { OAuth2Issuer, OAuth2Service } from 'oauth2-mock-server';

// Starts one: `seen` counts the requests by path, and `instead` answers in its place.
export async function mock() {
  const issuer = new OAuth2Issuer();
  const service = new OAuth2Service(issuer);
  const one = { issuer, service, seen: {}, instead: {} };
  const server = createServer((request, response) => {
    const path = request.url.split('?')[0];
    one.seen[path] = (one.seen[path] ?? 0) + 1;
    (one.instead[path] ?? service.requestHandler)(request, response);
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  issuer.url = `http://127.0.0.1:${server.address().port}`;
  await issuer.keys.generate('RS256', { kid: 'first' });
  one.stop = () => server.close().closeAllConnections();
  return one;
}
