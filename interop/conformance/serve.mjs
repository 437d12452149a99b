// The official conformance suite against `plainly serve`: the scenarios that a server of files alone can be judged by.
// usage: node serve.mjs PATH_OF_PLAINLY

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { NAME, run, start } from './suite.mjs';

const UNCACHED = ['sep-2640-skills-list-cache-attributes', 'sep-2640-skills-get-cache-attributes'];

// Every check of a scenario must succeed; a warning is a failure. What a scenario names under `skippable` may also be
// skipped (the suite does so when the server does not declare the capability), and what it names under `needs` can't be
// judged without the fixture that stands beside it, so its status is shown but not counted.
const SCENARIOS = [
  { revision: '2026-07-28', name: 'resources-list' },
  { revision: '2026-07-28', name: 'sep-2164-resource-not-found' },
  { revision: '2026-07-28', name: 'dns-rebinding-protection' },
  {
    revision: '2026-07-28',
    name: 'server-stateless',
    must: [
      'sep-2575-request-meta-invalid-missing-meta',
      'sep-2575-request-meta-invalid-missing-protocol-version',
      'sep-2575-request-meta-invalid-missing-client-capabilities',
      'sep-2575-http-server-meta-invalid-400',
      'sep-2575-request-meta-client-info-optional',
      'sep-2575-server-implements-discover',
      'sep-2575-server-identifies-in-result-meta',
      'sep-2575-server-declares-prompts-in-discover',
      'sep-2575-discover-capabilities-match-handlers',
      'sep-2575-server-unsupported-version-error',
      'sep-2575-http-server-unsupported-version-400',
      'sep-2575-http-server-header-mismatch-400',
      'sep-2575-http-server-method-not-found-404-initialize',
      'sep-2575-http-server-method-not-found-404-ping',
      'sep-2575-http-server-method-not-found-404-logging-setlevel',
      'sep-2575-http-server-method-not-found-404-resources-subscribe',
      'sep-2575-http-server-method-not-found-404-resources-unsubscribe',
      'sep-2575-http-server-method-not-found-404',
      'sep-2575-http-server-error-jsonrpc-id',
      'sep-2575-server-sends-subscription-ack',
      'sep-2575-server-tags-subscription-id',
      'sep-2575-server-honors-notification-filter',
    ],
    skippable: [
      // Skipped when `prompts.listChanged` and `tools.listChanged` are not declared; would need
      // `test_trigger_prompt_change` and `test_trigger_tool_change`.
      'sep-2575-server-sends-prompts-list-changed-on-subscription',
      'sep-2575-server-sends-tools-list-changed-on-subscription',
    ],
    needs: {
      'sep-2575-server-rejects-undeclared-capability': 'test_missing_capability',
      'sep-2575-missing-capability-http-400': 'test_missing_capability',
      'sep-2575-http-server-no-independent-requests-on-stream': 'test_streaming_elicitation',
      'sep-2575-server-no-log-without-loglevel': 'test_logging_tool',
    },
  },
  // A server may serve legacy clients without sessions; the suite then only says so.
  { revision: '2025-11-25', name: 'server-initialize', skippable: ['server-session-id-visible-ascii'] },
  { revision: '2025-11-25', name: 'ping' },
  { revision: '2025-11-25', name: 'resources-list' },
  { revision: '2025-11-25', name: 'dns-rebinding-protection' },
  // The suite leaves extensions out unless it is forced.
  ...['2025-11-25', '2026-07-28'].flatMap(revision =>
    ['enumeration', 'manifest', 'directory'].map(name => ({
      revision,
      name: `sep-2640-skills-${name}`,
      options: ['--force'],
      // Older revisions have no such attributes.
      skippable: revision === '2025-11-25' && name === 'enumeration' ? UNCACHED : [],
    })),
  ),
];

function makeDirectory(root) {
  const docs = join(root, 'docs');
  mkdirSync(join(docs, 'archive'), { recursive: true });
  writeFileSync(join(docs, 'notes.txt'), 'notes');
  writeFileSync(join(docs, 'archive', 'old.txt'), 'old');
  return docs;
}

function makeSkills(root) {
  const skills = join(root, 'skills');
  for (const path of ['mail', 'team/refunds', 'team/refunds/partial']) {
    const name = path.split('/').pop();
    mkdirSync(join(skills, path, 'references'), { recursive: true });
    writeFileSync(join(skills, path, 'SKILL.md'), `---\nname: ${name}\ndescription: How to do ${name}\n---\n# ${name}\n`);
    writeFileSync(join(skills, path, 'references', 'form.md'), `the form of ${name}`);
  }
  return skills;
}

function runOne({ revision, name, options = [] }, url, root) {
  const output = mkdtempSync(join(root, 'checks-'));
  // Not its exit status: for server-stateless it is always a failure without the fixtures. The checks it wrote decide.
  const { printed, scenarios } = run(url, ['--spec-version', revision, '--scenario', name, ...options], output);
  const checks = scenarios.get(name);
  if (checks === undefined) throw new Error(`no result was written:\n${printed}`);
  return checks;
}

// The verdict on one check: 'ok', 'FAIL', or why it isn't counted.
function judge({ must, skippable = [], needs = {} }, { id, status }) {
  if (id in needs) return `needs ${needs[id]}`;
  if (skippable.includes(id)) return ['SUCCESS', 'SKIPPED', 'INFO'].includes(status) ? 'ok' : 'FAIL';
  const known = must === undefined || must.includes(id) || id === 'wire-schema-valid';
  return known && status === 'SUCCESS' ? 'ok' : 'FAIL';
}

// A check that the suite no longer makes must not go unnoticed either.
function missing({ must = [], skippable = [], needs = {} }, checks) {
  const made = new Set(checks.map(check => check.id));
  return [...must, ...skippable, ...Object.keys(needs)].filter(id => !made.has(id));
}

const [plainly] = process.argv.slice(2);
if (plainly === undefined) {
  console.error('usage: node serve.mjs PATH_OF_PLAINLY');
  process.exit(2);
}
console.log(NAME);
const root = mkdtempSync(join(tmpdir(), 'plainly-conformance-'));
const directories = [makeDirectory(root), '--skills', makeSkills(root)];
const url = await start(plainly, ['serve', ...directories, '--http', '127.0.0.1:0']);
const tally = { ok: 0, FAIL: 0, fixture: 0 };
for (const scenario of SCENARIOS) {
  const checks = runOne(scenario, url, root);
  for (const check of checks) {
    const verdict = judge(scenario, check);
    tally[verdict in tally ? verdict : 'fixture'] += 1;
    const error = verdict === 'FAIL' ? `: ${check.errorMessage ?? ''} ${JSON.stringify(check.details ?? {})}` : '';
    const mark = verdict in tally ? verdict : '-';
    const reason = verdict in tally ? '' : ` (${verdict})`;
    console.log(`${mark.padEnd(5)} ${scenario.revision} ${scenario.name}: ${check.id} ${check.status}${reason}${error}`);
  }
  const absent = missing(scenario, checks);
  if (checks.length === 0) absent.push('any check at all');
  for (const id of absent) console.log(`FAIL  ${scenario.revision} ${scenario.name}: ${id} was not made`);
  tally.FAIL += absent.length;
}
rmSync(root, { recursive: true });
console.log(`${tally.ok} passed, ${tally.FAIL} failed, ${tally.fixture} need a fixture`);
process.exit(tally.FAIL === 0 ? 0 : 1);
