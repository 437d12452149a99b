// Commands of plainly, as somebody gives them who has a home of their own, where their logins are, and a browser.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { folder, plainly } from './harness.mjs';

const BROWSER = fileURLToPath(new URL('browser.mjs', import.meta.url));
const PATIENCE_MS = 60_000;
// Starts a command at a terminal.
const TERMINAL = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';

export class Home {
  #state = mkdtempSync(join(folder, 'home-'));

  // What a command says, and its status.
  run(words, env) {
    return this.#run([plainly, ...words], env);
  }

  // The same where somebody in this mood is at a terminal; what it says is in one.
  atTerminal(python, mood, words) {
    const browser = this.#browser(mood);
    return this.#run([python, '-c', TERMINAL, plainly, ...words], { BROWSER: browser.command, CI: undefined });
  }

  #run([program, ...words], env = {}) {
    return new Promise(done => {
      const child = execFile(
        program,
        words,
        {
          env: { ...process.env, XDG_STATE_HOME: this.#state, BROWSER: 'false', ...env },
          timeout: PATIENCE_MS,
        },
        (error, stdout, stderr) => done({ status: error === null ? 0 : (error.code ?? error.signal), stdout, stderr }),
      );
      child.stdin.end();
    });
  }

  // What a command prints that works.
  async works(words, env) {
    const { status, stdout, stderr } = await this.run(words, env);
    assert.equal(status, 0, `${words.join(' ')}: ${stdout}${stderr}`);
    return stdout + stderr;
  }

  // What a command says that ends so.
  async fails(status, words, env) {
    const ended = await this.run(words, env);
    assert.equal(ended.status, status, `${words.join(' ')}: ${ended.stdout}${ended.stderr}`);
    return ended.stderr;
  }

  // Runs a command that may open the browser of somebody in this mood: its status, what it says, and what the browser noted.
  async withBrowser(mood, words) {
    const { command, notes } = this.#browser(mood);
    const ended = await this.run([...words, '--json'], { BROWSER: command });
    const pages = ended.stdout.split('\n').filter(line => line.includes('"event":"page"')).map(line => JSON.parse(line));
    // A browser may stay a little longer than the command.
    const until = Date.now() + (pages.length > 0 ? PATIENCE_MS : 0);
    while (!existsSync(notes) && Date.now() < until) await pause(10);
    return { ...ended, pages, notes: existsSync(notes) ? JSON.parse(readFileSync(notes, 'utf8')) : undefined };
  }

  #browser(mood) {
    const notes = join(mkdtempSync(join(folder, 'notes-')), 'notes.json');
    return { notes, command: `${process.execPath} ${BROWSER} ${mood} ${notes}` };
  }

  // Somebody logs in who agrees, and is asked once.
  async logIn(url, words = [], mood = 'agrees') {
    const ended = await this.withBrowser(mood, ['login', url, ...words]);
    assert.equal(ended.status, 0, JSON.stringify(ended));
    assert.equal(ended.pages.length, 1, ended.stdout);
    return ended;
  }

  // What is kept, with its secrets.
  kept() {
    return JSON.parse(readFileSync(join(this.#state, 'plainly', 'credentials.json'), 'utf8'));
  }
}
