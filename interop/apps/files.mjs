// The page of `plainly serve --app` in Chromium, in a host on the official SDK for apps: listings, Markdown, a search, and
// files whose names and contents would be scripts.
// usage: node files.mjs PATH_OF_PLAINLY PATH_OF_CHROMIUM [FOLDER_FOR_PICTURES]

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { connect, open, stop } from './harness.mjs';

const [plainly, , pictures] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'apps-'));
const docs = join(folder, 'docs');
mkdirSync(join(docs, 'guide'), { recursive: true });
const write = (name, text) => writeFileSync(join(docs, name), text);
write('intro.md', `# Welcome

Read **this** and \`that\`, then [the guide](guide/first.md), [the site](https://example.com/a) or [nothing](../../etc/passwd).

- one
- two

\`\`\`sh
# not a heading
\`\`\`

As a table:
| name | size | of \\| what |
|:---|---:|:-:|
| \`a\` | 1 |
b | 2 | **three** | four
`);
write('guide/first.md', '# First steps\n\nA needle in the hay.\n');
write('notes.txt', '<b>plain</b> text');
write('lines.txt', Array.from({ length: 60_000 }, (_, at) => `line ${at + 1}\n`).join(''));

// What would run, load or leave the page if any of it became HTML or a link.
const SCRIPT = '<script>alert(1)</script><img src="https://evil.example/a.png" onerror="alert(2)"><iframe srcdoc="<script>alert(3)</script>"></iframe>';
const NAME = '<img src=x onerror=alert(4)>.md';
write(NAME, `# ${SCRIPT}

${SCRIPT} **${SCRIPT}** \`${SCRIPT}\` [${SCRIPT}](javascript:alert(5)) [data](data:text/html,x) ![picture](https://evil.example/b.png)

- ${SCRIPT}

| ${SCRIPT} | [x](javascript:alert(6)) |
|---|---|
| ${SCRIPT} | ![y](https://evil.example/c.png) |

<style>* { display: none }</style><base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example/">
`);
write('page.html', `<h1>Title</h1>${SCRIPT}`);
// Patterns that take forever if matching them starts again at each character.
write('slow.md', ['[', '[a](', '`', '*a', '**a', '- ', '#', '~~~', '[a](b ', '|', '|\\\\|', '|-|\n'].map(it => it.repeat(20_000 / it.length)).join('\n\n') + '\n\n[a](' + 'b'.repeat(20_000) + '\n\nThe end.\n');

for (const [mode, options] of [['auto', []], ['legacy', ['--tools', 'tree']]]) {
  const client = await connect(mode, plainly, ['serve', docs, '--app', '--stdio', ...options]);
  const { page, frame, links, calls, shown, end } = await open(client, 'browse', {});
  const click = name => frame.getByRole('button', { name, exact: true }).click();
  const inert = () => frame.evaluate(() => document.querySelectorAll('img, iframe, base, meta:not([charset]), main :is(script, style, a)').length);

  // Everything, a file, its links, and back.
  await shown('guide/');
  if (pictures) await page.screenshot({ path: join(pictures, `list-${mode}.png`), fullPage: true });
  await click('intro.md');
  await frame.getByRole('heading', { name: 'Welcome', level: 1 }).waitFor();
  assert.deepEqual(await frame.$$eval('article > *', all => all.map(it => it.tagName)), ['H1', 'P', 'UL', 'PRE', 'P', 'TABLE']);
  assert.deepEqual(await frame.$$eval('strong, code, li', all => all.map(it => it.textContent)), ['this', 'that', 'one', 'two', 'a', 'three']);
  const rows = await frame.$$eval('tr', all => all.map(row => [...row.cells].map(it => [it.tagName, it.textContent, it.style.textAlign])));
  assert.deepEqual(rows, [
    [['TH', 'name', ''], ['TH', 'size', 'end'], ['TH', 'of | what', 'center']],
    [['TD', 'a', ''], ['TD', '1', 'end']],
    [['TD', 'b', ''], ['TD', '2', 'end'], ['TD', 'three', 'center']],
  ]);
  if (pictures) await page.screenshot({ path: join(pictures, `markdown-${mode}.png`), fullPage: true });
  await click('the site');
  await click('the guide');
  await frame.getByRole('heading', { name: 'First steps' }).waitFor();
  assert.deepEqual(links, ['https://example.com/a']);
  await click('docs');
  await click('intro.md');
  await click('nothing');
  await shown('was not found');

  // A search, below what is shown.
  await click('Files');
  await frame.getByLabel('Search').fill('NEEDLE');
  await frame.getByLabel('Search').press('Enter');
  await shown('3: A needle in the hay.');
  await click('first.md');
  await frame.getByRole('heading', { name: 'First steps' }).waitFor();

  // Text in parts, and text that is no Markdown.
  await click('docs');
  await click('lines.txt');
  await shown('line 1\n');
  await click('Continue');
  await frame.waitForFunction(() => !document.body.innerText.includes('line 1\n'));
  await click('docs');
  await click('notes.txt');
  await shown('<b>plain</b> text');

  // Hostile files.
  await click('docs');
  await shown(NAME);
  assert.equal(await inert(), 0);
  for (const name of [NAME, 'page.html', 'slow.md']) {
    await click(name);
    await shown(name === 'slow.md' ? 'The end.' : 'alert(1)');
    assert.equal(await inert(), 0, name);
    for (const label of ['data', 'picture']) {
      const found = frame.getByRole('button', { name: label, exact: true });
      if (name === NAME) assert.equal(await found.count(), label === 'picture' ? 1 : 0, label);
    }
    if (pictures) await page.screenshot({ path: join(pictures, `hostile-${mode}.png`), fullPage: true });
    await click('docs');
  }
  assert.deepEqual([...new Set(calls.map(call => call.name))].sort(), ['read_resource', 'search']);
  await end();

  // A file to begin with, and one that is not there.
  const first = await open(client, 'browse', { uri: 'file:///docs/intro.md' });
  await first.frame.getByRole('heading', { name: 'Welcome' }).waitFor();
  await first.end();
  const missing = await open(client, 'browse', { uri: 'file:///docs/gone.md' });
  await missing.shown('was not found');
  await missing.end();
  await client.close();
  console.log(`ok    a client in mode ${mode}: listings, Markdown, links, a search, parts, hostile files, a file to begin with`);
}
await stop();
rmSync(folder, { recursive: true });
