// `plainly` with protected servers of other people, each with an authorization server of its own making: somebody declines, logs
// in, calls tools, is renewed, asks for more, is thrown out, is forgotten, and logs out.
// usage: node servers.mjs PATH_OF_PLAINLY PYTHON PATH_OF_RMCP_ACCOUNTS

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { Home } from './commands.mjs';
import { end, step } from './harness.mjs';
import { mock } from './mock.mjs';

const [, , , python, rmcp] = process.argv;
const here = file => fileURLToPath(new URL(file, import.meta.url));

const other = await mock();
const BOTH = ['notes:read', 'notes:write'];

// What differs between them. `tool`: a call of it, which answers "Be kind." `scope`: what it wants. `asks`: whether people are asked
// if they agree. `challenges`: whether a tool that wants another scope than the rest says so, instead of not being there. `isOld`:
// whether it renews no token and takes none back. `isMute`: whether it can't be told anything.
const ABOUT = { tool: ['read'], scope: ['notes:read'], asks: false, challenges: false, isOld: false, isMute: false };
const SERVERS = [
  { name: 'FastMCP', command: [python, here('fastmcp_server.py')] },
  { name: 'FastMCP as a proxy', command: [python, here('fastmcp_server.py'), other.issuer.url], scope: ['dummy'], asks: true, isMute: true },
  { name: 'Python SDK', command: [python, here('python_sdk_server.py')], asks: true },
  { name: 'Python SDK as in 2025-03-26', command: [python, here('python_sdk_server.py'), 'both'], asks: true },
  { name: 'TypeScript SDK', command: [process.execPath, here('typescript_sdk_server.mjs')], asks: true, challenges: true },
  { name: 'rmcp as in 2025-03-26', command: [rmcp], tool: ['echo', 'text=Be kind.'], scope: [], isOld: true },
].map(it => ({ ...ABOUT, ...it }));

// A server in a process of its own: its URL, and what it can be told.
async function start([command, ...words]) {
  const child = spawn(command, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  process.on('exit', () => child.kill());
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async () => {
    const { value, done } = await lines.next();
    assert.ok(!done, `${words[0]} ended`);
    return value;
  };
  let url = await line();
  while (!url.startsWith('http')) url = await line();
  const tell = async what => {
    child.stdin.write(`${what}\n`);
    assert.equal(await line(), 'done');
  };
  return { url, tell, stop: () => child.stdin.end() };
}

async function beforeAnyLogin({ asks }, { url }, home, named) {
  await named('without a login, a command ends with 7 and says what to do', async () => {
    assert.match(await home.fails(7, ['tools', url]), new RegExp(`plainly login ${url}`));
  });
  await named('a client that needs nobody is not let in', async () => {
    const words = ['tools', url, '--client-id', 'x', '--client-secret', 'env:SECRET'];
    return (await home.fails(7, words, { SECRET: 'x' })).trim();
  });
  if (asks) {
    await named('somebody who declines is not logged in', async () => {
      const { status, stderr } = await home.withBrowser('declines', ['login', url]);
      assert.equal(status, 7, stderr);
      assert.match(stderr, /access_denied/);
    });
  }
}

async function aLogin({ tool, scope, isOld, isMute }, { url, tell }, home, named) {
  await named('somebody logs in, and whoever else comes to the callback changes nothing', async () => {
    const { notes } = await home.logIn(url, [], 'is-followed');
    assert.equal(notes.end, 200);
    for (const what of ['another state', 'no state', 'two states', 'another way']) {
      assert.ok(notes[what] >= 400, `${what}: ${notes[what]}`);
    }
    return JSON.stringify(notes);
  });
  await named('a tool is called', async () => {
    assert.equal((await home.works(['call', url, ...tool])).trim(), 'Be kind.');
  });
  await named('the login is listed, without its secrets', async () => {
    const listed = await home.works(['logins', '--json']);
    const login = JSON.parse(listed);
    assert.deepEqual([login.server, login.scope, login.isRenewable], [url, scope, true]);
    const [grant] = home.kept().grants;
    for (const secret of [grant.access_token, grant.refresh_token]) assert.ok(!listed.includes(secret));
    return listed.trim();
  });
  if (isMute) return;
  if (isOld) {
    await named('a token that has ended and is not renewed needs another login, which can be had', async () => {
      await tell('expire');
      assert.match(await home.fails(7, ['call', url, ...tool]), /plainly login/);
      await home.logIn(url);
      await home.works(['call', url, ...tool]);
    });
    return;
  }
  await named('a token that has ended is renewed', async () => {
    const [before] = home.kept().grants;
    await tell('expire');
    await home.works(['call', url, ...tool]);
    const [after] = home.kept().grants;
    assert.notEqual(after.access_token, before.access_token);
    assert.notEqual(after.refresh_token, before.refresh_token);
  });
}

async function moreRights({ scope, challenges }, { url }, home, named) {
  if (scope.length === 0) return;
  const isGranted = () => assert.deepEqual(home.kept().grants.map(it => it.granted_scope), [BOTH]);
  await named('a login for more is another one, although there is one', async () => {
    await home.logIn(url, BOTH.flatMap(it => ['--scope', it]));
    isGranted();
    await home.works(['call', url, 'read']);
  });
  if (!challenges) return;
  await home.logIn(url, ['--force']);
  await named('where nobody can be asked, a tool that wants more ends with 7 and says what to do', async () => {
    const said = await home.fails(7, ['call', url, 'write']);
    assert.match(said, /"notes:read notes:write"/);
    assert.match(said, new RegExp(`plainly login ${url}.*--scope`));
  });
  await named('somebody at a terminal is asked for more, and the tool is called', async () => {
    const { status, stdout } = await home.atTerminal(python, 'agrees', ['call', url, 'write']);
    assert.equal(status, 0, stdout);
    assert.match(stdout, /Written\./);
    isGranted();
  });
  await named('the other tool is called with the same token', async () => {
    await home.works(['call', url, 'read']);
  });
}

async function theEnd({ tool, isOld }, { url, tell }, home, named) {
  const works = () => home.works(['call', url, ...tool]);
  await named('a login that was revoked is over', async () => {
    await tell('revoke');
    assert.match(await home.fails(7, ['call', url, ...tool]), /plainly login/);
  });
  await named('somebody logs in again', async () => {
    const clients = () => home.kept().registrations.map(it => it.client_id);
    const before = clients();
    await home.logIn(url);
    assert.deepEqual(clients(), before);
  });
  if (!isOld) {
    await named('a client that was forgotten registers anew', async () => {
      await tell('forget');
      assert.match(await home.fails(7, ['call', url, ...tool]), /plainly login/);
      await home.logIn(url);
      await works();
    });
  }
  await named('a login is ended, and what it was let in with is good no more', async () => {
    const [{ access_token: token }] = home.kept().grants;
    const byToken = ['tools', url, '--bearer', 'env:TOKEN'];
    await home.works(byToken, { TOKEN: token });
    const said = await home.works(['logout', url]);
    // Who takes no tokens back lets them in as before.
    if (isOld) await home.works(byToken, { TOKEN: token });
    else await home.fails(7, byToken, { TOKEN: token });
    await home.fails(7, ['tools', url]);
    return said.trim();
  });
  await named('a client that was forgotten meanwhile registers anew if it is told to', async () => {
    await tell('forget');
    await home.logIn(url, ['--force']);
    await works();
  });
}

for (const about of SERVERS) {
  const named = (what, action) => step(`${about.name}: ${what}`, action);
  const home = new Home();
  const server = await start(about.command);
  const scenes = about.isMute ? [beforeAnyLogin, aLogin] : [beforeAnyLogin, aLogin, moreRights, theEnd];
  for (const scene of scenes) await scene(about, server, home, named);
  server.stop();
}
other.stop();
end();
