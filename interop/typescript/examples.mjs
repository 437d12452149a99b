// The official TypeScript SDK's client with the examples that a newcomer reads, in both eras, each over the transport that
// it speaks. What is expected stands in ../examples.json, but for the example that forwards to a server on the same SDK.
// usage: node examples.mjs DIRECTORY_OF_THE_EXAMPLES

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { argument, end, everywhere, present } from './harness.mjs';

const TABLE = JSON.parse(readFileSync(new URL('../examples.json', import.meta.url)));
const FORWARDED = {
  example: 'passing_on',
  words: [process.execPath, fileURLToPath(new URL('changing.mjs', import.meta.url)), 'stdio'],
  steps: [
    { step: 'own tools', method: 'tools/list', expected: { names: ['near'] } },
    { step: 'resources', method: 'resources/list', expected: { names: ['db://rows/1', 'db://rows/0'] } },
    {
      step: 'a resource that is not there',
      method: 'resources/read',
      params: { uri: 'db://rows/2' },
      expected: { error: { code: -32602, message: 'Resource not found: db://rows/2', data: { uri: 'db://rows/2' } } },
    },
    {
      step: 'contents that are empty for no known reason',
      method: 'resources/read',
      params: { uri: 'db://rows/0' },
      expected: {
        error: {
          code: -32603,
          message: 'Reading db://rows/0 gave no contents, which is ambiguous: the resource may be empty or may not exist',
        },
      },
    },
  ],
};
const METHODS = {
  'tools/list': async client => ({ names: (await client.listTools()).tools.map(({ name }) => name) }),
  'resources/list': async client => ({ names: (await client.listResources()).resources.map(({ uri }) => uri) }),
  'resources/templates/list': async client => {
    const { resourceTemplates } = await client.listResourceTemplates();
    return { names: resourceTemplates.map(({ uriTemplate }) => uriTemplate) };
  },
  'resources/read': async (client, params) => ({ text: joined((await client.readResource(params)).contents) }),
  'tools/call': async (client, params, onprogress) => {
    const { content, isError, structuredContent } = await client.callTool(params, { onprogress });
    // What an error is made of is for `failing.json`.
    return isError ? { toolError: joined(content) } : { text: joined(content), structuredContent };
  },
};

function joined(parts) {
  return parts.map(({ text }) => text).join('');
}

// What the client's user sees, in the words of the table. `asked` is what the user was asked meanwhile. Of the progress only
// the first is looked at: over stdio the last may be lost when the reply comes with it. This SDK makes some of its own when it
// asks the user.
async function outcome(client, { method, params }, asked) {
  let progress;
  try {
    const seen = await METHODS[method](client, params, ({ message }) => (progress ??= message));
    return present({ ...seen, ...(asked.length > 0 ? { asked: asked.shift() } : { progress }) });
  } catch (error) {
    const { code, message, data } = error;
    return { error: present({ code, message, data }) };
  }
}

const directory = argument('node examples.mjs DIRECTORY_OF_THE_EXAMPLES');
// The extension for tasks is not in this SDK.
for (const { example, words = [], transport, token, answer, steps } of [...TABLE.filter(({ tasks }) => !tasks), FORWARDED]) {
  const command = join(directory, example);
  const server = transport === 'http' ? { http: [command, '127.0.0.1:0'], token } : { stdio: [command, ...words] };
  const asked = [];
  const capabilities = answer === undefined ? {} : { elicitation: { form: {} } };
  const prepare = client => {
    if (answer === undefined) return;
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message);
      return answer;
    });
  };
  const run = async (client, era, step) => {
    for (const row of steps) {
      await step(`${example}: ${row.step}`, async () => {
        const seen = await outcome(client, row, asked);
        assert.deepEqual(seen, row[era] ?? row.expected);
        return JSON.stringify(seen);
      });
    }
  };
  await everywhere(server, { capabilities }, run, prepare);
}
end();
