// A person at a browser: opens a page, logs in and agrees wherever a form asks for that, and ends up where the last redirect
// leads. As a program of its own it is a browser, and prints where it ended up: `BROWSER='node person.mjs'`.

import { pathToFileURL } from 'node:url';

const MOST_PAGES = 20;

// The cookies of one browser.
class Cookies {
  #all = new Map();

  take(response) {
    for (const line of response.headers.getSetCookie()) {
      const [pair] = line.split(';');
      const at = pair.indexOf('=');
      this.#all.set(pair.slice(0, at), pair.slice(at + 1));
    }
  }

  toString() {
    return [...this.#all].map(([name, value]) => `${name}=${value}`).join('; ');
  }
}

// The form of a page, filled in as somebody would who agrees, or `declines`: where it goes, and what it says.
function form(page, url, code, declines) {
  const found = page.match(/<form[^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/);
  if (found === null) return undefined;
  const [, action, inside] = found;
  const fields = new URLSearchParams();
  for (const [input] of inside.matchAll(/<input[^>]*>/g)) {
    const attribute = name => input.match(new RegExp(`\\b${name}="([^"]*)"`))?.[1];
    const [name, type] = [attribute('name'), attribute('type')];
    if (name === undefined) continue;
    const typed = { login: 'ada', password: 'x', user_code: code }[name];
    if (typed !== undefined || type === 'hidden') fields.set(name, typed ?? attribute('value') ?? '');
  }
  const buttons = [...inside.matchAll(/<button[^>]*\bname="([^"]*)"[^>]*\bvalue="([^"]*)"/g)];
  const pressed = buttons.find(([, , value]) => /deny|cancel/i.test(value) === declines);
  if (pressed !== undefined) fields.set(pressed[1], pressed[2]);
  return { url: new URL(action.replaceAll('&amp;', '&'), url), body: fields };
}

// The way out of a page, for somebody who does not agree.
function wayOut(page, url) {
  const found = page.match(/<a[^>]*href="([^"]*)"[^>]*>[^<]*Cancel/);
  return found === null ? undefined : { url: new URL(found[1].replaceAll('&amp;', '&'), url) };
}

// Visits the page, and returns the last URL and what it showed; only the URL, if nobody answers where the last redirect leads.
// `code` is what is typed where a device's code is asked for. Who `declines` takes the first way out. `redirected` is told of
// each redirect before it is followed.
export async function visit(start, code, { declines = false, redirected = async () => {} } = {}) {
  const cookies = new Cookies();
  let next = { url: new URL(start) };
  for (let page = 0; page < MOST_PAGES; page += 1) {
    let response;
    try {
      response = await fetch(next.url, {
        method: next.body ? 'POST' : 'GET',
        body: next.body,
        // A connection each: none is kept until the other side closes it.
        headers: { cookie: String(cookies), connection: 'close' },
        redirect: 'manual',
      });
    } catch (error) {
      if (next.isRedirect) return { url: next.url.href };
      throw error;
    }
    cookies.take(response);
    const location = response.headers.get('location');
    if (location !== null) {
      next = { url: new URL(location, next.url), isRedirect: true };
      await redirected(next.url);
      continue;
    }
    const shown = await response.text();
    const filled = (declines ? wayOut(shown, next.url) : undefined) ?? form(shown, next.url, code, declines);
    if (filled === undefined) return { url: next.url.href, status: response.status, shown };
    next = filled;
  }
  throw new Error(`more than ${MOST_PAGES} pages from ${start}`);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log((await visit(process.argv.at(-1))).url);
}
