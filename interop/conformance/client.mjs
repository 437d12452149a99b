// The scenarios of clients in the official conformance suite against the example `conformance_client`: those of both
// requirement sets, scored or not, and those that are in no set: of skills, and of the authorization of 2025-03-26. Each runs by
// itself in strict mode: a warning is a failure, and so is an exit status other than 0, unless giving up is right there. Then
// each set runs as the suite does it for its score, all scenarios at once and with an empty baseline.
// usage: node client.mjs PATH_OF_THE_EXAMPLE

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { NAME, play, playAll, requirements } from './suite.mjs';

const REVISIONS = ['2025-11-25', '2026-07-28'];
const BASELINE = join(dirname(fileURLToPath(import.meta.url)), 'baseline.yml');
const SKILLS = ['no-prefetch', 'verify-digest', 'verify-size', 'verify-frontmatter'];
const OUTSIDE = SKILLS.map(name => ({ name: `sep-2640-client-${name}`, why: 'in no set' }));
const OLDEST = ['oauth-metadata-backcompat', 'oauth-endpoint-fallback'];

const [client] = process.argv.slice(2);
if (client === undefined) {
  console.error('usage: node client.mjs PATH_OF_THE_EXAMPLE');
  process.exit(2);
}
console.log(NAME);
const root = mkdtempSync(join(tmpdir(), 'plainly-conformance-client-'));
const tally = { ok: 0, FAIL: 0 };

function report(passed, revision, why, name, checks) {
  const verdict = passed ? 'ok' : 'FAIL';
  tally[verdict] += 1;
  console.log(`${verdict.padEnd(4)}  ${revision}  ${why.padEnd(19)}  ${name.padEnd(42)}  ${checks}`);
}

function alone(revision, { name, why }) {
  const { status, printed } = play(client, name, revision, root);
  const passed = status === 0 && printed.includes('OVERALL: PASSED');
  report(passed, revision, why, name, printed.match(/^Passed: (.*)$/m)?.[1] ?? 'no checks');
  if (!passed) console.log(printed);
}

// By the lines of its summary: a tick says that nothing failed, and that nothing was warned of.
function atOnce(revision, scenarios) {
  const { printed } = playAll(client, revision, BASELINE, root);
  const summary = new Map();
  for (const [, tick, name, checks] of printed.matchAll(/^([✓✗-]) (\S+): (.*)$/gm)) summary.set(name, { tick, checks });
  for (const { name } of scenarios) {
    const { tick, checks } = summary.get(name) ?? { checks: 'was not run' };
    report(tick === '✓' && !checks.startsWith('0 passed'), revision, 'all at once', name, checks);
  }
}

for (const revision of REVISIONS) {
  const scenarios = requirements(revision, 'client');
  for (const scenario of [...scenarios, ...OUTSIDE]) alone(revision, scenario);
  atOnce(revision, scenarios);
}
for (const name of OLDEST) alone('2025-03-26', { name: `auth/2025-03-26-${name}`, why: 'in no set' });
rmSync(root, { recursive: true });
console.log(`${tally.ok} scenarios passed, ${tally.FAIL} failed`);
process.exit(tally.ok > 0 && tally.FAIL === 0 ? 0 : 1);
