// A browser whose person is of a mood: agrees; declines; or is followed by somebody else, who gets to the callback before them
// and after them, and notes what came of it.
// usage: BROWSER='node browser.mjs agrees|declines|is-followed FILE_OF_NOTES'

import { renameSync, writeFileSync } from 'node:fs';

import { visit } from './person.mjs';

const [mood, notes, page] = process.argv.slice(2);
const seen = {};

// The status of what somebody else gets there, or why nobody answers.
const asks = (url, options) => fetch(url, options).then(answer => answer.status, error => error.cause?.code ?? `${error}`);

async function meddle(url) {
  if (mood !== 'is-followed' || url.pathname !== '/callback') return;
  const changed = change => {
    const other = new URL(url);
    change(other.searchParams);
    return other;
  };
  seen['another state'] = await asks(changed(query => query.set('state', 'forged')));
  seen['no state'] = await asks(changed(query => query.delete('state')));
  seen['two states'] = await asks(changed(query => query.append('state', 'forged')));
  seen['another way'] = await asks(url, { method: 'POST' });
}

try {
  const { url, status } = await visit(page, undefined, { declines: mood === 'declines', redirected: meddle });
  seen.end = status;
  if (mood === 'is-followed') seen['the same again'] = await asks(url);
} catch (error) {
  seen.error = `${error.stack}: ${error.cause}`;
}
// Whole, or not at all.
writeFileSync(`${notes}.new`, JSON.stringify(seen));
renameSync(`${notes}.new`, notes);
