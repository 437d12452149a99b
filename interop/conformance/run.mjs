// The official conformance suite against the example `everything`: all scenarios of servers in the requirement sets of both
// revisions that have one, scored or not, with an empty baseline.
// usage: node run.mjs PATH_OF_THE_EXAMPLE
//
// Stricter than the suite: a warning is a failure, in scenarios that aren't scored too; nothing may be skipped but what is
// named below; and each scenario must have seen a check of its own succeed.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { NAME, requirements, run, start } from './suite.mjs';

const REVISIONS = ['2025-11-25', '2026-07-28'];
const BASELINE = join(dirname(fileURLToPath(import.meta.url)), 'baseline.yml');
// The suite always skips it: the notifications of tasks go to subscriptions, where it doesn't look for them yet.
const SKIPPED = ['tasks-status-notifications'];
// Where the suite has nothing against a server that doesn't do it, and only says so.
const MUST = { 'server-sse-polling': 'server-sse-disconnect-resume' };
// Made by the validation of every message in every scenario.
const EVERYWHERE = 'wire-schema-valid';

// What is wrong with a check, if anything.
function wrong({ id, status, errorMessage = '', details = {} }) {
  const fine = ['SUCCESS', 'INFO'].includes(status) || (status === 'SKIPPED' && SKIPPED.includes(id));
  return fine ? [] : [`${id} ${status}: ${errorMessage} ${JSON.stringify(details).slice(0, 500)}`];
}

function judge(name, checks) {
  if (checks === undefined) return ['was not run'];
  const problems = checks.flatMap(wrong);
  const succeeded = checks.filter(({ status }) => status === 'SUCCESS').map(({ id }) => id);
  const own = MUST[name] === undefined ? id => id !== EVERYWHERE : id => id === MUST[name];
  if (succeeded.some(own) || problems.length > 0 || SKIPPED.includes(name)) return problems;
  return [MUST[name] === undefined ? 'no check of its own succeeded' : `${MUST[name]} did not succeed`];
}

// One line of the table, and what is wrong below it.
function report(revision, { name, why }, checks) {
  const problems = judge(name, checks);
  const passed = (checks ?? []).filter(({ status }) => status === 'SUCCESS').length;
  const skipped = problems.length === 0 && SKIPPED.includes(name);
  const verdict = problems.length > 0 ? 'FAIL' : skipped ? 'skip' : 'ok';
  console.log(`${verdict.padEnd(4)}  ${revision}  ${why.padEnd(19)}  ${name.padEnd(46)}  ${passed} checks`);
  for (const problem of problems) console.log(`      ${problem}`);
  return verdict;
}

const [everything] = process.argv.slice(2);
if (everything === undefined) {
  console.error('usage: node run.mjs PATH_OF_THE_EXAMPLE');
  process.exit(2);
}
console.log(NAME);
const url = await start(everything, ['127.0.0.1:0']);
const root = mkdtempSync(join(tmpdir(), 'plainly-conformance-'));
const tally = { ok: 0, FAIL: 0, skip: 0 };
for (const revision of REVISIONS) {
  const output = join(root, revision);
  mkdirSync(output);
  const { status, printed, scenarios } = run(url, ['--requirements', revision, '--expected-failures', BASELINE], output);
  for (const scenario of requirements(revision, 'server')) {
    tally[report(revision, scenario, scenarios.get(scenario.name))] += 1;
  }
  if (status !== 0) {
    console.log(`FAIL  ${revision}  the suite ended with status ${status}:\n${printed.slice(printed.lastIndexOf('Total:'))}`);
    tally.FAIL += 1;
  }
}
rmSync(root, { recursive: true });
console.log(`${tally.ok} scenarios passed, ${tally.FAIL} failed, ${tally.skip} skipped by the suite`);
process.exit(tally.ok > 0 && tally.FAIL === 0 ? 0 : 1);
