// Every change of the directory and of sessions writes its rows of the audit log, with every column, and what changes nothing writes none.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Secret, TOTP } from 'otpauth';
import { test } from 'uvu';
import type { AdminRecord, Principal } from '../../actors/directory/api.ts';
import { testDatabases } from '../stores.ts';
import { type AuthActors, credential, firstAdmin, LOCKOUT, newSession, PHC, QUOTAS, realm, SOURCE, startAuthActors } from './auth-actors.ts';

const databases = await testDatabases();
const started: AuthActors[] = [];
test.after(async () => {
  for (const actors of started) await actors.stop();
  for (const database of databases) await database.stop();
});

const ROOT = '_/admin';
const SECRET = new Secret({ size: 20 });
const record = (realms: readonly string[]): AdminRecord => ({
  ...{ id: 'boss', realms, userpass: 'ann', jwt: null, fido2: null, digital_credentials: null, client_certificate: null },
});

/** A change by its method, and the rows that it writes as `event outcome actor target`; before an event of a realm, the realm and a colon. */
type Step = readonly [method: string, change: () => Promise<unknown>, ...rows: string[]];

for (const database of databases) {
  let actors: AuthActors;
  let root: Principal;
  /** Ids of sessions, in the order in which they were made. */
  const sessions: string[] = [];
  const directory = () => actors.directory;
  const on = (title: string, run: () => Promise<void>) => test(`${database.dialect}: ${title}`, run);
  const seen = new Set<string>();

  /** The rows since the last look, with `#0` for the first session and so on. */
  async function newRows(): Promise<string[]> {
    const all = await actors.store.all<Record<string, string | null>>(
      'SELECT stream, seq, realm, scheme, source, event, outcome, actor, target, reason FROM audit ORDER BY stream, seq',
    );
    const fresh = all.filter(({ stream, seq }) => !seen.has(`${stream} ${seq}`));
    for (const { stream, seq } of fresh) seen.add(`${stream} ${seq}`);
    return fresh.map(({ realm: of, scheme, source, event, outcome, actor, target, reason }) => {
      const by = actor === null ? '' : ` ${actor} ${scheme} ${source}`;
      const at = sessions.indexOf(target as string);
      return `${of === null ? '' : `${of}:`}${event} ${outcome}${by} | ${at === -1 ? target : `#${at}`}${reason === null ? '' : ` | ${reason}`}`;
    });
  }

  const follow = async (steps: readonly Step[]) => {
    await newRows();
    for (const [method, change, ...rows] of steps) {
      await change();
      assert.deepEqual(await newRows(), rows, method);
    }
  };
  const byRoot = (event: string, target: string, more = '') => `${event} success ${ROOT} up ${SOURCE} | ${target}${more}`;
  const none = '00000000-0000-4000-8000-000000000000';

  const directorySteps = (): readonly Step[] => {
    const code = () => new TOTP({ secret: SECRET }).generate({ timestamp: actors.clock.now() });
    const update = { ...credential('r', 'ann'), comparedWith: null };
    const enrolment = { realm: 'r', username: 'ann', secret: SECRET.base32, currentCode: undefined };
    return [
      ['createRealm', () => directory().createRealm(realm('r'), root), byRoot('r:realm.create', 'r')],
      ['updateRealm', () => directory().updateRealm(realm('r'), root), byRoot('r:realm.update', 'r')],
      ['updateRealm', () => directory().updateRealm(realm('none'), root)],
      ['createCredential', () => directory().createCredential(credential('r', 'ann'), root), byRoot('r:credential.create', 'ann')],
      ['updateCredential', () => directory().updateCredential(update, root), byRoot('r:credential.password', 'ann')],
      ['updateCredential', () => directory().updateCredential({ ...update, passwordHash: null }, root), byRoot('r:credential.update', 'ann')],
      ['updateCredential', () => directory().updateCredential({ ...update, username: 'nobody' }, root)],
      ['unlock', () => directory().unlock('r', 'ann', root), byRoot('r:credential.unlock', 'ann')],
      ['unlock', () => directory().unlock('r', 'nobody', root)],
      ['createAdmin', () => directory().createAdmin(record(['r']), root), byRoot('admin.create', 'boss')],
      ['updateAdmin', () => directory().updateAdmin(record(['r']), root), byRoot('admin.update', 'boss')],
      ['addAdminRealm', () => directory().addAdminRealm('boss', '_', root), byRoot('admin.update', 'boss')],
      ['addAdminRealm', () => directory().addAdminRealm('boss', 'none', root)],
      ['removeAdminRealm', () => directory().removeAdminRealm('boss', '_', root), byRoot('admin.update', 'boss')],
      ['enableTotp', () => directory().enableTotp({ ...enrolment, code: code() }, root), byRoot('r:totp.enable', 'ann')],
      ['disableTotp', () => directory().disableTotp('r', 'ann', undefined, root), byRoot('r:totp.disable', 'ann')],
      ['disableTotp', () => directory().disableTotp('r', 'ann', undefined, root)],
      ['deleteAdmin', () => directory().deleteAdmin('boss', root), byRoot('admin.delete', 'boss')],
      ['deleteAdmin', () => directory().deleteAdmin('boss', root)],
      ['createCredential', () => directory().createCredential(credential('r', 'bob'), root), byRoot('r:credential.create', 'bob')],
      ['deleteCredential', () => directory().deleteCredential('r', 'bob', root), byRoot('r:credential.delete', 'bob')],
      ['deleteCredential', () => directory().deleteCredential('r', 'bob', root)],
      ['deleteRealm', () => directory().deleteRealm('r', root), byRoot('r:realm.delete', 'r')],
      ['deleteRealm', () => directory().deleteRealm('r', root)],
      ['resetAdmin', () => directory().resetAdmin({ username: 'admin', passwordHash: PHC }), '_:admin.reset success | admin'],
    ];
  };

  const loginSteps = (): readonly Step[] => {
    const refused = { event: 'login', outcome: 'refused', realm: 's', actor: 'cyd', scheme: 'up', source: SOURCE, reason: 'password' } as const;
    const login = async (passwordHash: string | null) => {
      const { credential: found } = await directory().findSignIn('s', 'cyd', '192.0.2.2');
      return { realm: 's', username: 'cyd', source: '192.0.2.2', revision: found?.revision ?? 0, code: null, passwordHash };
    };
    const refusal = `s:login refused cyd up ${SOURCE} | null | password`;
    const refuse: Step = ['refuse', () => directory().refuse(refused, 'password', 'cyd', SOURCE), refusal];
    return [
      ...Array.from({ length: LOCKOUT.failures - 1 }, () => refuse),
      [...refuse, `s:lockout success cyd up ${SOURCE} | password ${SOURCE} | too many failures`],
      ['refuse', () => directory().refuse(refused, null, 'cyd', SOURCE), refusal],
      ['interrupt', async () => directory().interrupt(await login(null), { ...refused, reason: 'a code' }), `s:login refused cyd up ${SOURCE} | null | a code`],
      ['interrupt', async () => directory().interrupt({ ...(await login(null)), revision: 1 }, refused)],
      ['complete', async () => directory().complete(await login(null))],
      ['complete', async () => directory().complete(await login(`${PHC}x`)), 's:password.change success cyd up 192.0.2.2 | cyd'],
    ];
  };

  const sessionSteps = (cyd: Principal): readonly Step[] => {
    const create = async (more = {}) => {
      await actors.runtime.advance(10);
      const session = await newSession(actors, 's', 'cyd', more);
      sessions.push(session.id);
      return actors.session(session.id).create(session);
    };
    const at = (index: number) => sessions[index] as string;
    const made = (index: number): Step => ['create', () => create(), `s:login success cyd up ${SOURCE} | #${index}`];
    const ended = (id: number) => `s:session.end success s/cyd up ${SOURCE} | #${id}`;
    return [
      ...Array.from({ length: QUOTAS.sessions_per_identity }, (_, index) => made(index)),
      ['create', () => create(), `${ended(0)} | quota`, `s:login success cyd up ${SOURCE} | #3`],
      ['end', async () => actors.session('').end([at(1), none, at(2), at(1)], cyd), ended(1), ended(2)],
      ['end', async () => actors.session('').end([at(0)], cyd)],
      ['create', () => create({ revision: 1 }), `s:login refused cyd up ${SOURCE} | null | the account changed meanwhile`],
      ['endRealm', () => actors.session('').endRealm('s', root), byRoot('s:session.end_realm', '1 sessions')],
      ['create', () => create({ maxAgeSeconds: 1 }), `s:login success cyd up ${SOURCE} | #5`],
      ['purge', () => actors.runtime.advance(1_000).then(() => actors.session('').purge(root)), byRoot('_:session.purge', '1 sessions')],
    ];
  };

  on('each change of the directory has its row, and what changed nothing has none', async () => {
    actors = await startAuthActors(database);
    started.push(actors);
    const keys = (await newRows()).map((row) => row.replace(/ \S+$/, ''));
    assert.deepEqual(keys, ['signing_key.create success | session', 'signing_key.create success | certificate']);
    root = await firstAdmin(actors);
    assert.deepEqual(await newRows(), ['_:first_start success | admin']);
    await follow(directorySteps());
  });

  on('so has each refused sign-in with the lock that it causes, and each new password', async () => {
    await directory().createRealm(realm('s'), root);
    await directory().createCredential(credential('s', 'cyd'), root);
    await follow(loginSteps());
  });

  on('so has each session that begins or ends', async () => {
    await follow(sessionSteps(await actors.by('s', 'cyd')));
  });
}

test('every method that is told who does it is here', () => {
  const source = readFileSync(new URL(import.meta.url), 'utf8');
  for (const actor of ['directory', 'session']) {
    const api = readFileSync(new URL(`../../actors/${actor}/api.ts`, import.meta.url), 'utf8');
    const methods = [...api.matchAll(/^ {2}(\w+)\([^\n]*\bby: \w+\)/gm)].map(([, method]) => method);
    assert.ok(methods.length > 2);
    for (const method of methods) assert.ok(source.includes(`['${method}', `), `${actor}.${method}`);
  }
});

test.run();
