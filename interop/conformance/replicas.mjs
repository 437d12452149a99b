// The official conformance suite against three processes of the example `everything` with the same keys, or three of the example
// `replica` over three NATS servers or over Redis with a copy, behind a balancer that passes no two requests in a row on to the same
// one. Counts the scenarios that fail, which must be those in `replicas.json`.
// usage: node replicas.mjs PATH_OF_THE_EXAMPLE [--nats PATH_OF_NATS_SERVER | --redis PATH_OF_REDIS_SERVER] [REVISION]

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { judge } from './judge.mjs';
import * as nats from './nats.mjs';
import * as redis from './redis.mjs';
import { several } from './several.mjs';
import { NAME, requirements, run } from './suite.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const engines = { nats, redis };
const options = Object.fromEntries(Object.keys(engines).map(name => [name, { type: 'string' }]));
const { values, positionals } = parseArgs({ options, allowPositionals: true });
const [engine, program] = Object.entries(values)[0] ?? [];
const [example, only] = positionals;
const EXPECTED = JSON.parse(readFileSync(join(here, 'replicas.json'), 'utf8'))[engine === undefined ? 'keys' : 'engine'];
const revisions = Object.keys(EXPECTED).filter(revision => only === undefined || revision === only);
if (example === undefined || revisions.length === 0) {
  console.error('usage: node replicas.mjs PATH_OF_THE_EXAMPLE [--nats PATH_OF_NATS_SERVER | --redis PATH_OF_REDIS_SERVER] [REVISION]');
  process.exit(2);
}
console.log(NAME);
const root = mkdtempSync(join(tmpdir(), 'plainly-replicas-'));
const servers = engine === undefined ? [] : await engines[engine].cluster(program, root);
const url = await several(example, servers, root);
let [total, failed, surprises] = [0, 0, 0];
for (const revision of revisions) {
  const output = join(root, revision);
  mkdirSync(output);
  const { scenarios } = run(url, ['--requirements', revision], output);
  for (const { name } of requirements(revision, 'server')) {
    const problems = judge(name, scenarios.get(name));
    const expected = EXPECTED[revision].includes(name);
    total += 1;
    failed += problems.length > 0;
    if (expected === problems.length > 0) continue;
    surprises += 1;
    console.log(`FAIL  ${revision}  ${name}${expected ? ': succeeds. Take it out of replicas.json' : ''}`);
    for (const problem of problems) console.log(`      ${problem}`);
  }
}
rmSync(root, { recursive: true });
console.log(`${failed} of ${total} scenarios fail, ${surprises} against expectation`);
process.exit(total > 0 && surprises === 0 ? 0 : 1);
