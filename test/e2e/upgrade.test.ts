// Data of an older version open in this one.
import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { firstSteps, opensAgain, PASSWORD, type Sealed } from '../packages/story.ts';
import { temporaryFolder } from '../server.ts';
import { launchOld, layOut, olderVersion, startOld } from './older-version.ts';
import { exitOf, integrity, rowsOf, type Started, start } from './started.ts';

const folder = temporaryFolder();
const old = join(folder, 'old');
const dataDir = join(folder, 'data');
test.after(() => rmSync(folder, { recursive: true }));

async function stop({ child, output }: Started): Promise<void> {
  child.kill('SIGTERM');
  assert.equal(await exitOf(child), 0, output.text);
}

const migrations = () => rowsOf<{ owner: string; id: number }>(join(dataDir, 'gatehouse.db'), 'SELECT owner, id FROM migration ORDER BY owner, id');
const user = { username: 'ada', password_input: { plaintext: 'ada own password' }, roles: ['staff'] };

interface Kept {
  readonly sealed: Sealed;
  readonly cookie: string;
  readonly token: string;
  readonly audited: number;
}

/** What an older server leaves: a key and what it sealed, a realm with a user, a session, a role with a token. */
async function live({ ask }: Started): Promise<Kept> {
  const sealed = await firstSteps(ask, readFileSync(join(dataDir, 'initial-password'), 'utf8').trim());
  const cookie = (await ask('POST', '/login?realm=_', { user: `admin:${PASSWORD}` })).cookie as string;
  assert.equal((await ask('POST', '/admins/realms', { cookie, body: { id: 'team', auth_params: {} } })).status, 201);
  assert.equal((await ask('POST', '/realms/team/userpass', { cookie, body: user })).status, 201);
  assert.equal((await ask('POST', '/auth/approle/role/web', { cookie, body: { token_ttl: 36_000 } })).status, 204);
  const role_id = (await ask('GET', '/auth/approle/role/web/role-id', { cookie })).body.data.role_id;
  const secret_id = (await ask('POST', '/auth/approle/role/web/secret-id', { cookie })).body.data.secret_id;
  const token = (await ask('POST', '/auth/approle/login', { body: { role_id, secret_id } })).body.auth.client_token;
  return { sealed, cookie, token, audited: (await ask('GET', '/audit?limit=1000', { cookie })).body.events.length };
}

const version = olderVersion();
if (version === undefined) console.log('skipped: upgrade.test.ts needs the history of the repository');
else
  test(`what ${version.slice(0, 12)} has made works on: keys, people, sessions, tokens, the audit log`, async () => {
    layOut(version, old);
    const before = await startOld(old, dataDir);
    const kept = await live(before);
    await stop(before);
    const known = await migrations();
    cpSync(dataDir, join(folder, 'untouched'), { recursive: true });

    const now = await start(dataDir);
    const { cookie } = kept;
    await opensAgain(now.ask, kept.sealed);
    assert.equal((await now.ask('GET', '/whoami', { cookie })).status, 200, 'the session goes on');
    assert.equal((await now.ask('POST', '/login?realm=team', { user: 'ada:ada own password' })).body.next_step, 'Authenticated');
    const lookup = await now.ask('GET', '/auth/token/lookup-self', { headers: { 'x-app-token': kept.token } });
    assert.equal(lookup.status, 200, lookup.text);
    const events = (await now.ask('GET', '/audit?limit=1000', { cookie })).body.events as { event: string }[];
    assert.ok(events.length >= kept.audited && events.some(({ event }) => event === 'realm.create'));
    await stop(now);
    assert.equal(await integrity(join(dataDir, 'gatehouse.db')), 'ok');

    // Back again: refused with a sentence if this version has changed tables, and the data from before the upgrade still open.
    const added = (await migrations()).length - known.length;
    if (added > 0) {
      const { child, output } = launchOld(old, dataDir);
      assert.equal(await exitOf(child), 1);
      assert.match(output.text, /cannot start: the database has migration \w+\/\d+, but this version knows migrations up to/);
    }
    rmSync(dataDir, { recursive: true });
    cpSync(join(folder, 'untouched'), dataDir, { recursive: true });
    const again = await startOld(old, dataDir);
    await opensAgain(again.ask, kept.sealed);
    await stop(again);
    assert.ok(existsSync(join(dataDir, 'gatehouse.db')));
  });

test.run();
