// The official conformance suite against the example `everything`: all scenarios of servers in the requirement sets of both
// revisions that have one, scored or not, with an empty baseline.
// usage: node run.mjs PATH_OF_THE_EXAMPLE

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { SKIPPED, judge } from './judge.mjs';
import { NAME, requirements, run, start } from './suite.mjs';

const REVISIONS = ['2025-11-25', '2026-07-28'];
const BASELINE = join(dirname(fileURLToPath(import.meta.url)), 'baseline.yml');

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
