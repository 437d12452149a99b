// The official TypeScript SDK's client against a server whose every handler fails (the example `failing`): what it tells
// its user of each failure, on both transports and both eras. What is expected stands in ../failing.json.
// usage: node failing.mjs PATH_OF_THE_EXAMPLE

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

import { argument, end, everywhere, present } from './harness.mjs';

const TABLE = JSON.parse(readFileSync(new URL('../failing.json', import.meta.url)));
// What is to be asked of the user is given back, not asked.
const OPTIONS = { allowInputRequired: true };
const METHODS = {
  'tools/call': (client, params) => client.callTool(params, OPTIONS),
  'resources/read': (client, params) => client.readResource(params, OPTIONS),
  'prompts/get': (client, params) => client.getPrompt(params, OPTIONS),
  'completion/complete': (client, params) => client.complete(params),
};

// What the client's user sees, in the words of the table.
async function outcome(client, { method, params }) {
  let result;
  try {
    result = await METHODS[method](client, params);
  } catch (error) {
    const { code, message, data } = error;
    return { error: present({ code, message, data }) };
  }
  if (result.resultType === 'input_required') return { inputRequests: result.inputRequests };
  assert.equal(result.isError, true, 'it did not fail');
  return present({
    toolError: result.content.map(content => content.text).join(''),
    structuredContent: result.structuredContent,
    problem: result._meta?.['dev.plainly/problem'],
  });
}

const failing = argument('node failing.mjs PATH_OF_THE_EXAMPLE');
const server = { http: [failing, '127.0.0.1:0'], stdio: [failing] };
for (const { capabilities, calls } of TABLE) {
  await everywhere(server, { capabilities }, async (client, era, step) => {
    // What the client knows of the tools' output it holds their results against.
    await client.listTools();
    for (const [name, row] of Object.entries(calls)) {
      await step(name, async () => {
        const seen = await outcome(client, row);
        assert.deepEqual(seen, row[era] ?? row.expected);
        return JSON.stringify(seen);
      });
    }
  });
}
end();
