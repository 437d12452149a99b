// A contrary balancer: passes each request on to another server than the one before it, so that nobody's second request finds
// what the first one left in a process.
// usage: node balancer.mjs PORT...

import { Agent, createServer, request } from 'node:http';

const ports = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
let turn = 0;

function pass(incoming, outgoing) {
  const { method, url: path, rawHeaders: headers } = incoming;
  const port = ports[turn++ % ports.length];
  const passed = request({ agent, host: '127.0.0.1', port, method, path, headers }, answer => {
    outgoing.writeHead(answer.statusCode, answer.rawHeaders);
    // The first event may come later.
    outgoing.flushHeaders();
    answer.pipe(outgoing);
  });
  passed.on('error', () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()));
  // A client that leaves cancels its request.
  outgoing.on('close', () => outgoing.writableFinished || passed.destroy());
  incoming.pipe(passed);
}

const balancer = createServer(pass).listen(0, '127.0.0.1', () => {
  console.error(`http://127.0.0.1:${balancer.address().port}/mcp`);
});
