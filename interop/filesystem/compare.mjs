// Every tool of @modelcontextprotocol/server-filesystem, side by side: there, of `plainly serve --tool-names filesystem`, and
// of `plainly serve` by its own names. Results, times and sizes of answers; and edits that are easily made wrong.
// usage: node compare.mjs PATH_OF_PLAINLY [ROUNDS]

import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { EDITS } from './edits.mjs';
import { Server, text } from './server.mjs';

const [plainly, rounds = '5'] = process.argv.slice(2);
if (plainly === undefined) {
  console.error('usage: node compare.mjs PATH_OF_PLAINLY [ROUNDS]');
  process.exit(2);
}
const reference = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'filesystem-')));
process.on('exit', () => rmSync(folder, { recursive: true }));

let passed = 0;
let failed = 0;

async function step(name, action) {
  try {
    await action();
    passed += 1;
  } catch (error) {
    failed += 1;
    console.log(`FAIL  ${name}: ${error.stack ?? error}`);
  }
}

// The smallest PNG.
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

// The same tree for each server: 20 directories of 20 files.
const tree = join(folder, 'tree');
for (let directory = 0; directory < 20; directory++) {
  const path = join(tree, 'src', `part${directory}`);
  mkdirSync(path, { recursive: true });
  for (let file = 0; file < 20; file++) writeFileSync(join(path, `file${file}.md`), `# ${directory} ${file}\n`.repeat(20));
}
mkdirSync(join(tree, 'docs'));
writeFileSync(join(tree, 'docs', 'large.txt'), 'a line of this text\n'.repeat(10_000));
writeFileSync(join(tree, 'docs', 'point.png'), Buffer.from(PNG, 'base64'));
writeFileSync(join(tree, 'docs', 'point.bin'), Buffer.from([0, 1, 2, 255]));

const serve = root => [plainly, 'serve', root, '--stdio', '--write'];
const KINDS = {
  reference: root => [process.execPath, reference, root],
  renamed: root => [...serve(root), '--tool-names', 'filesystem'],
  own: serve,
};

async function started(kind) {
  const root = join(folder, kind, 'tree');
  cpSync(tree, root, { recursive: true });
  return { root, server: await new Server(KINDS[kind](root)).start() };
}

const sorted = lines => lines.split('\n').sort();
const shape = nodes => nodes.map(node => ({ ...node, ...(node.children && { children: shape(node.children) }) }))
  .sort((one, other) => (one.name < other.name ? -1 : 1));

// Ways in which two texts say the same.
const same = (theirs, ours) => assert.equal(ours, theirs);
const sameLines = (theirs, ours) => assert.deepEqual(sorted(ours), sorted(theirs));
const sameTree = (theirs, ours) => assert.deepEqual(shape(JSON.parse(ours)), shape(JSON.parse(theirs)));
const bothDone = (theirs, ours) => assert.match(ours, /^Successfully/);
const facts = (theirs, ours) => {
  const known = ours.split('\n').filter(line => /^(size|isDirectory|isFile): /.test(line));
  assert.equal(known.length, 3);
  for (const line of known) assert.ok(theirs.split('\n').includes(line), line);
};
const sameDiff = (theirs, ours) => {
  const changes = diff => diff.split('\n').filter(line => /^[-+][^-+]/.test(line));
  assert.deepEqual(changes(ours), changes(theirs));
};
// The last line end is not the reference's, and what is left out is said.
const sameLinesOfText = (theirs, ours) => assert.ok(ours.startsWith(theirs.trimEnd()), ours.slice(0, 200));

// A tool, its arguments, the way to compare its text, and the call by our own names. `$` is the root, `#` the round.
const CALLS = [
  ['read_text_file', { path: '$/src/part1/file1.md' }, same, ['read_resource', { uri: '$/src/part1/file1.md' }]],
  ['read_text_file', { path: '$/docs/large.txt' }, same, ['read_resource', { uri: '$/docs/large.txt' }]],
  ['read_text_file', { path: '$/docs/large.txt', head: 20 }, sameLinesOfText, ['read_resource', { uri: '$/docs/large.txt', limit: 20 }]],
  ['read_text_file', { path: '$/docs/large.txt', tail: 20 }, (theirs, ours) => assert.match(ours, /^(a line of this text\n){20}/), ['read_resource', { uri: '$/docs/large.txt', tail: 20 }]],
  ['read_file', { path: 'src/part1/file1.md' }, same, ['read_resource', { uri: 'tree/src/part1/file1.md' }]],
  ['read_media_file', { path: '$/docs/point.png' }, same, ['read_resource', { uri: '$/docs/point.png' }]],
  ['read_media_file', { path: '$/docs/point.bin' }, same, ['read_resource', { uri: '$/docs/point.bin' }]],
  ['read_multiple_files', { paths: ['$/src/part1/file1.md', '$/src/part2/file2.md'] }, same, ['read_resources', { uris: ['$/src/part1/file1.md', '$/src/part2/file2.md'] }]],
  ['list_directory', { path: '$/src/part1' }, sameLines, ['list_resources', { uri: '$/src/part1' }]],
  ['list_directory_with_sizes', { path: '$/docs' }, sameLines, ['list_resources', { uri: '$/docs' }]],
  ['list_directory_with_sizes', { path: '$/docs', sortBy: 'size' }, same, ['list_resources', { uri: '$/docs', sort: 'size' }]],
  ['directory_tree', { path: '$' }, sameTree, ['tree', { uri: '$', limit: 2000 }]],
  ['directory_tree', { path: '$', excludePatterns: ['part1*', 'docs'] }, (theirs, ours) => assert.doesNotMatch(ours, /part1|docs/), ['tree', { uri: '$', exclude: ['part1*', 'docs'] }]],
  ['search_files', { path: '$', pattern: '**/file1*.md' }, sameLines, ['search', { uri: '$', glob: '**/file1*.md', limit: 1000 }]],
  ['search_files', { path: '$', pattern: '**/*.md', excludePatterns: ['src/part*/file1*'] }, sameLines, ['search', { uri: '$', glob: '**/*.md', exclude: ['src/part*/file1*'], limit: 1000 }]],
  ['search_files', { path: '$', pattern: '**/none' }, same, ['search', { uri: '$', glob: '**/none' }]],
  ['get_file_info', { path: '$/docs/large.txt' }, facts, ['stat_resource', { uri: '$/docs/large.txt' }]],
  ['get_file_info', { path: '$/docs' }, (theirs, ours) => assert.match(ours, /isDirectory: true/), ['stat_resource', { uri: '$/docs' }]],
  ['list_allowed_directories', {}, same, ['list_resources', {}]],
  ['write_file', { path: '$/docs/new#.txt', content: 'x'.repeat(1024) }, same, ['write_resource', { uri: '$/docs/new#.txt', text: 'x'.repeat(1024) }]],
  ['write_file', { path: '$/docs/new0.txt', content: 'x'.repeat(1 << 20) }, same, ['write_resource', { uri: '$/docs/new0.txt', text: 'x'.repeat(1 << 20) }]],
  ['edit_file', { path: '$/src/part1/file#.md', edits: [{ oldText: '# 1 #\n# 1 #\n'.repeat(10), newText: '# one\n' }], dryRun: true }, sameDiff, ['edit_resource', { uri: '$/src/part1/file#.md', edits: [{ old: '# 1 #\n# 1 #\n'.repeat(10), new: '# one\n' }], dry_run: true }]],
  ['edit_file', { path: '$/src/part1/file#.md', edits: [{ oldText: '# 1 #\n# 1 #\n'.repeat(10), newText: '# one\n' }] }, sameDiff, ['edit_resource', { uri: '$/src/part1/file#.md', edits: [{ old: '# 1 #\n# 1 #\n'.repeat(10), new: '# one\n' }] }]],
  ['create_directory', { path: '$/made/in#/deep' }, same, ['create_collection', { uri: '$/made/in#/deep' }]],
  ['move_file', { source: '$/docs/new#.txt', destination: '$/made/in#/moved.txt' }, bothDone, ['move_resource', { from: '$/docs/new#.txt', to: '$/made/in#/moved.txt' }]],
];

// Calls that must fail in both, and change nothing.
const REFUSED = [
  ['read_text_file', { path: '/etc/passwd' }],
  ['read_text_file', { path: '$/../other' }],
  ['read_text_file', { path: '$/none' }],
  ['read_text_file', { path: '$/docs' }],
  ['list_directory', { path: '$/docs/large.txt' }],
  ['write_file', { path: '$/none/new.txt', content: '' }],
  ['write_file', { path: '/tmp/outside.txt', content: '' }],
  ['edit_file', { path: '$/docs/large.txt', edits: [{ oldText: 'nowhere', newText: '' }] }],
  ['move_file', { source: '$/docs/point.png', destination: '$/docs/point.bin' }],
  ['move_file', { source: '$/docs/none', destination: '$/docs/there' }],
];

const filled = (args, root, round) =>
  JSON.parse(JSON.stringify(args).replaceAll('"$', `"${root}`).replaceAll('#.', `${round}.`).replaceAll('in#', `in${round}`).replaceAll('# 1 #', `# 1 ${round}`));
const median = numbers => numbers.sort((one, other) => one - other)[Math.floor(numbers.length / 2)];

const servers = {};
for (const kind of Object.keys(KINDS)) servers[kind] = await started(kind);

const sizes = {};
for (const [kind, { server }] of Object.entries(servers)) {
  const { result, bytes } = await server.request('tools/list');
  sizes[kind] = `${result.tools.length} in ${(bytes / 1000).toFixed(1)} KB`;
  if (kind === 'renamed') {
    await step('the names of the tools', async () => {
      const { result: theirs } = await servers.reference.server.request('tools/list');
      const names = tools => tools.map(tool => tool.name).sort();
      assert.deepEqual(names(result.tools), names(theirs.tools));
      for (const tool of theirs.tools) {
        const ours = result.tools.find(other => other.name === tool.name).inputSchema.properties ?? {};
        for (const name of Object.keys(tool.inputSchema.properties ?? {})) assert.ok(name in ours, `${tool.name} ${name}`);
      }
      assert.ok(bytes <= 13_000, `${bytes} bytes`);
    });
  }
}
console.log('tools/list', sizes);

console.log('\n| tool | ms: reference | its names | our names | bytes: reference | its names | our names |\n|---|---:|---:|---:|---:|---:|---:|');
for (const [tool, args, compare, [ownTool, ownArgs]] of CALLS) {
  const seen = {};
  for (const kind of Object.keys(KINDS)) seen[kind] = { ms: [], bytes: 0, text: '' };
  await step(`${tool} ${JSON.stringify(args).slice(0, 120)}`, async () => {
    for (let round = 0; round < Number(rounds); round++) {
      for (const [kind, { root, server }] of Object.entries(servers)) {
        const [name, given] = kind === 'own' ? [ownTool, ownArgs] : [tool, args];
        const { result, bytes, ms } = await server.call(name, filled(given, root, round));
        const said = text(result).replaceAll(root, '$').replace(/^Successfully created directory .*\/made/, 'Successfully created directory $/made');
        assert.ok(!result.isError, `${kind}: ${said.slice(0, 300)}`);
        seen[kind].ms.push(ms);
        Object.assign(seen[kind], { bytes, text: said, content: result.content });
      }
      compare(seen.reference.text, seen.renamed.text);
      const media = ({ content }) => content.filter(block => block.type !== 'text').map(({ type, data, resource }) => [type, data ?? resource.blob]);
      assert.deepEqual(media(seen.renamed), media(seen.reference));
    }
    const kinds = Object.keys(KINDS);
    const cells = [...kinds.map(kind => median(seen[kind].ms).toFixed(2)), ...kinds.map(kind => seen[kind].bytes)];
    const shown = Object.keys(args).filter(name => !/path|source|destination/i.test(name)).join(', ');
    console.log(`| \`${tool}\`${shown && ` (${shown})`} | ${cells.join(' | ')} |`);
  });
}

for (const [tool, args] of REFUSED) {
  await step(`refused: ${tool} ${JSON.stringify(args)}`, async () => {
    for (const kind of ['reference', 'renamed']) {
      const { root, server } = servers[kind];
      const { result } = await server.call(tool, filled(args, root, 0));
      assert.equal(result.isError, true, `${kind}: ${text(result)}`);
    }
  });
}

// The same tree afterwards: nothing else was changed.
await step('what is written', () => {
  for (const path of ['made/in0/moved.txt', 'src/part1/file0.md', 'src/part1/file1.md']) {
    const read = kind => readFileSync(join(servers[kind].root, path), 'utf8');
    assert.equal(read('renamed'), read('reference'), path);
    assert.equal(read('own'), read('reference'), path);
  }
});

const right = { reference: 0, renamed: 0, own: 0 };
const wrong = [];
for (const [name, before, edits, after] of EDITS) {
  for (const [kind, { root, server }] of Object.entries(servers)) {
    const path = join(root, 'edited.txt');
    writeFileSync(path, before);
    const own = kind === 'own';
    const given = edits.map(([old, text]) => (own ? { old, new: text } : { oldText: old, newText: text }));
    const args = own ? { uri: path, edits: given } : { path, edits: given };
    const { result } = await server.call(own ? 'edit_resource' : 'edit_file', args);
    const is = readFileSync(path, 'utf8');
    const isRight = is === (after ?? before) && Boolean(result.isError) === (after === null);
    right[kind] += Number(isRight);
    if (kind === 'reference') {
      if (!isRight) wrong.push(name);
    } else {
      await step(`${kind}: edit: ${name}`, () => assert.ok(isRight, `${JSON.stringify(is)}: ${text(result)}`));
    }
  }
}
console.log(`\n${EDITS.length} edits right:`, right);
console.log('wrong there:', wrong.join('; '));

for (const { server } of Object.values(servers)) await server.stop();
console.log(`${passed} passed, ${failed} failed`);
process.exit(passed > 0 && failed === 0 ? 0 : 1);
