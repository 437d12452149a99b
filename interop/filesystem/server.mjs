// A server in a process of its own, on standard input and output, and what it answers to calls of its tools.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export class Server {
  #child;
  #lines;
  #id = 0;

  constructor([command, ...args]) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async start() {
    const clientInfo = { name: 'interop', version: '1.0.0' };
    await this.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    this.#send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return this;
  }

  // The result, its size in bytes and the time that it took.
  async request(method, params = {}) {
    const id = ++this.#id;
    const begin = performance.now();
    this.#send({ jsonrpc: '2.0', id, method, params });
    for (;;) {
      const { value: line, done } = await this.#lines.next();
      if (done) throw new Error(`the server ended during ${method}`);
      const message = JSON.parse(line);
      if (message.id !== id || message.method !== undefined) continue;
      if (message.error !== undefined) throw new Error(`${method}: ${message.error.message}`);
      return { result: message.result, bytes: Buffer.byteLength(line), ms: performance.now() - begin };
    }
  }

  call(name, args) {
    return this.request('tools/call', { name, arguments: args });
  }

  async stop() {
    const ended = once(this.#child, 'exit');
    this.#child.stdin.end();
    await ended;
  }

  #send(message) {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }
}

// All text of a result.
export function text(result) {
  const blocks = result.content.filter(block => block.type === 'text');
  return blocks.map(block => block.text).join('\n');
}
