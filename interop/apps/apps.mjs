// The page of the example `app` in Chromium, in a host on the official SDK for apps: what it shows, asks for, and can't do.
// usage: node apps.mjs PATH_OF_EXAMPLE PATH_OF_CHROMIUM [FOLDER_FOR_PICTURES]

import assert from 'node:assert/strict';
import { join } from 'node:path';

import { connect, open, stop } from './harness.mjs';

const [command, , pictures] = process.argv.slice(2);

for (const mode of ['auto', 'legacy']) {
  const client = await connect(mode, command);
  const { page, frame, calls, shown, give, end } = await open(client, 'forecast', { place: 'Oslo' });

  // The chart of the result, in the host's theme, in a frame of its height.
  await shown('Mon\n4°');
  const heights = await frame.$$eval('li', bars => bars.map(bar => parseFloat(getComputedStyle(bar, '::before').height)));
  assert.deepEqual(heights, [68, 48, 20, 8, 28, 52, 60]);
  assert.equal(await frame.evaluate(() => document.documentElement.style.colorScheme), 'dark');
  await page.waitForFunction(() => document.querySelector('iframe').offsetHeight > 160);
  if (pictures) await page.screenshot({ path: join(pictures, `app-${mode}.png`) });

  // Another place: the page calls the tool through the host.
  await frame.selectOption('select', 'Lima');
  await shown('Mon\n19°');
  assert.deepEqual(calls.map(call => [call.name, call.arguments]), [['forecast', { place: 'Lima' }]]);

  // An error, and texts that would be scripts.
  await give(await client.callTool({ name: 'forecast', arguments: { place: 'Rome' } }));
  await shown('Known places: Lima, Oslo, Perth');
  const hostile = '<img src=x onerror="alert(1)"><script>alert(2)</script>';
  await give({ content: [{ type: 'text', text: hostile }], isError: true });
  await shown(hostile);
  const days = [{ day: hostile, celsius: 1 }];
  await give({ content: [], structuredContent: { place: hostile, places: [hostile], days } });
  await shown(`${hostile}\n1°`);
  assert.equal(await frame.evaluate(() => document.images.length + document.scripts.length), 1);

  // A result of a revision that has only text.
  const text = JSON.stringify({ place: 'Bonn', places: ['Bonn'], days: [{ day: 'Tue', celsius: 2 }] });
  await give({ content: [{ type: 'text', text }] });
  await shown('Tue\n2°');
  await end();
  await client.close();
  console.log(`ok    a client in mode ${mode}: chart, theme, size, a call from the page, an error, hostile texts, the end`);
}
await stop();
