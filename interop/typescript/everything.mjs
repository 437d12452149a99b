// The official TypeScript SDK's client against a server that does everything (the example `everything`): what the server
// asks of the client, what it tells meanwhile, and that it hears of a call that is given up, on both transports and in both
// eras.
// usage: node everything.mjs PATH_OF_THE_EXAMPLE|URL

import assert from 'node:assert/strict';

import { argument, end, everywhere } from './harness.mjs';

const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const NAME = { username: 'ada', email: 'ada@example.com' };
const ROOTS = [{ uri: 'file:///home/ada/notes', name: 'notes' }];
const WATCHED = 'test://watched-resource';
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';

// What the client of the connection that is open was asked and told.
let heard;

function prepare(client) {
  heard = { asked: [], logged: [], changed: [] };
  client.setRequestHandler('elicitation/create', ({ params }) => {
    heard.asked.push(params.message);
    if (params.mode === 'url') return { action: 'accept' };
    return { action: 'accept', content: answer(params.requestedSchema) };
  });
  client.setRequestHandler('sampling/createMessage', ({ params }) => {
    heard.asked.push(params.messages[0].content.text ?? params.messages[0].content[0].text);
    return { role: 'assistant', model: 'none', content: { type: 'text', text: 'Paris' } };
  });
  client.setRequestHandler('roots/list', () => ({ roots: ROOTS }));
  client.setNotificationHandler('notifications/message', ({ params }) => {
    heard.logged.push(`${params.level}: ${params.data}`);
  });
  client.setNotificationHandler('notifications/tools/list_changed', () => void heard.changed.push('tools'));
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.changed.push(params.uri));
}

// Every field of a form, filled in: from `NAME`, its default, or by its type.
function answer({ properties }) {
  const value = (name, { default: preset, type }) => NAME[name] ?? preset ?? { boolean: true, string: 'ada' }[type];
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, value(name, schema)]));
}

async function call(client, name, args = {}, options) {
  const { content, isError } = await client.callTool({ name, arguments: args }, options);
  const text = content.map(({ text }) => text).join('');
  assert.ok(!isError, text);
  return text;
}

async function until(holds) {
  const end = Date.now() + 10_000;
  while (!(await holds())) {
    assert.ok(Date.now() < end, 'it does not come about');
    await new Promise(resolve => setTimeout(resolve, 10));
  }
}

const STEPS = {
  elicitation: async client => {
    const text = await call(client, 'test_elicitation', { message: 'Who are you?' });
    assert.deepEqual(heard.asked.splice(0), ['Who are you?']);
    assert.deepEqual(JSON.parse(text.slice(text.indexOf('{'))), { action: 'accept', content: NAME });
    return text;
  },
  'elicitation with defaults': async client => {
    const text = await call(client, 'test_elicitation_sep1034_defaults');
    const content = { name: 'John Doe', age: 30, score: 95.5, status: 'active', verified: true };
    assert.deepEqual(JSON.parse(text.slice(text.indexOf('{'))), { action: 'accept', content });
    return text;
  },
  'a visit to a URL': async client => {
    assert.equal(await call(client, 'test_elicitation_url'), 'The user went there.');
  },
  sampling: async client => {
    const text = await call(client, 'test_sampling', { prompt: 'What is the capital of France?' });
    assert.ok(heard.asked.includes('What is the capital of France?'));
    assert.equal(text, 'LLM response: Paris');
  },
  roots: async client => {
    assert.match(await call(client, 'test_input_required_result_list_roots'), /file:\/\/\/home\/ada\/notes/);
  },
  'three questions at once': async client => {
    const text = await call(client, 'test_input_required_result_multiple_inputs');
    for (const part of ['ada', 'Paris', 'file:///home/ada/notes']) assert.ok(text.includes(part), text);
    return text;
  },
  'one question after the other': client => call(client, 'test_input_required_result_multi_round'),
  'a prompt that asks': async client => {
    const { messages } = await client.getPrompt({ name: 'test_input_required_result_prompt' });
    assert.match(messages[0].content.text, /ada/);
  },
  progress: async client => {
    const told = [];
    await call(client, 'test_tool_with_progress', {}, { onprogress: ({ progress, total }) => told.push(`${progress}/${total}`) });
    assert.deepEqual(told, ['0/100', '50/100', '100/100']);
  },
  logging: async (client, era) => {
    if (era === 'legacy') await client.setLoggingLevel('info');
    const wish = era === 'legacy' ? {} : { _meta: { [LOG_LEVEL]: 'info' } };
    await client.callTool({ name: 'test_tool_with_logging', arguments: {}, ...wish });
    const words = ['Tool execution started', 'Tool processing data', 'Tool execution completed'];
    await until(() => heard.logged.length >= words.length);
    assert.deepEqual(heard.logged.splice(0), words.map(text => `info: ${text}`));
  },
  'a log that is not wished for': async (client, era) => {
    if (era === 'legacy') await client.setLoggingLevel('error');
    await call(client, 'test_tool_with_logging');
    assert.deepEqual(heard.logged, []);
  },
  'other tools': async (client, era) => {
    const subscription = era === 'legacy' ? undefined : await client.listen({ toolsListChanged: true });
    // An older client opens the stream that it hears of it on when it likes.
    await until(() => call(client, 'test_trigger_tool_change').then(() => heard.changed.includes('tools')));
    await subscription?.close();
  },
  'another resource': async (client, era) => {
    const filter = { resourceSubscriptions: [WATCHED] };
    if (era === 'legacy') await client.subscribeResource({ uri: WATCHED });
    const subscription = era === 'legacy' ? undefined : await client.listen(filter);
    await until(() => call(client, 'test_trigger_resource_update').then(() => heard.changed.includes(WATCHED)));
    await subscription?.close();
  },
  cancellation: async client => {
    const waiting = () => call(client, 'test_waiting');
    const giveUp = new AbortController();
    const given = call(client, 'test_wait', {}, { signal: giveUp.signal }).then(() => 'an answer', () => 'given up');
    await until(async () => (await waiting()) === '1');
    giveUp.abort();
    assert.equal(await given, 'given up');
    await until(async () => (await waiting()) === '0');
  },
};

const everything = argument('node everything.mjs PATH_OF_THE_EXAMPLE|URL');
const server = { http: [everything, '127.0.0.1:0'], stdio: URL.canParse(everything) ? undefined : [everything] };
const run = async (client, era, step) => {
  for (const [what, action] of Object.entries(STEPS)) await step(what, () => action(client, era));
};
await everywhere(server, { capabilities: CAPABILITIES }, run, prepare);
end();
