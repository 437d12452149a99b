// The scenarios of clients in the official conformance suite against the example `conformance_client`: those of both
// requirement sets that need no account, scored or not, one by one in strict mode: a warning is a failure, and so is an exit
// status other than 0.
// usage: node client.mjs PATH_OF_THE_EXAMPLE

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { NAME, play, requirements } from './suite.mjs';

const REVISIONS = ['2025-11-25', '2026-07-28'];
// Authorization is not there yet.
const needsAccount = ({ name }) => name.startsWith('auth/');

const [client] = process.argv.slice(2);
if (client === undefined) {
  console.error('usage: node client.mjs PATH_OF_THE_EXAMPLE');
  process.exit(2);
}
console.log(NAME);
const root = mkdtempSync(join(tmpdir(), 'plainly-conformance-client-'));
const tally = { ok: 0, FAIL: 0 };
for (const revision of REVISIONS) {
  for (const scenario of requirements(revision, 'client')) {
    if (needsAccount(scenario)) continue;
    const { status, printed } = play(client, scenario.name, revision, root);
    const passed = status === 0 && printed.includes('OVERALL: PASSED');
    const verdict = passed ? 'ok' : 'FAIL';
    tally[verdict] += 1;
    const checks = printed.match(/^Passed: (.*)$/m)?.[1] ?? 'no checks';
    console.log(`${verdict.padEnd(4)}  ${revision}  ${scenario.why.padEnd(19)}  ${scenario.name.padEnd(38)}  ${checks}`);
    if (!passed) console.log(printed);
  }
}
rmSync(root, { recursive: true });
console.log(`${tally.ok} scenarios passed, ${tally.FAIL} failed`);
process.exit(tally.ok > 0 && tally.FAIL === 0 ? 0 : 1);
