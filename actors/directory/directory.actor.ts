// The directory: owns realms, credentials, admins and signing keys, and ends the sessions that a change of theirs makes invalid.
import { defineActor } from '../../kernel/actor.ts';
import { userCounter } from '../../kernel/versions.ts';
import type { DirectoryApi } from './api.ts';
import { createFirst } from './first-start.ts';
import { administered, findLogin } from './lookup.ts';
import { openSigningKeys } from './signing-keys.ts';

export interface DirectoryArgs {
  /** Days that audit rows are kept. */
  readonly auditRetentionDays: number;
}

const DAY_MS = 86_400_000;
const PURGE_MS = 3_600_000;

export default defineActor<DirectoryApi, DirectoryArgs>(async ({ auditRetentionDays }, ctx) => {
  const store = await ctx.openStore();
  await openSigningKeys(store, ctx.dataKey('auth'), ctx.clock.now());
  const purge = async () => {
    const before = ctx.clock.now() - auditRetentionDays * DAY_MS;
    // The newest row of a stream stays: the next one continues its chain.
    const sql = 'DELETE FROM audit WHERE time < $1 AND seq < (SELECT MAX(seq) FROM audit AS last WHERE last.stream = audit.stream)';
    const purged = await store.transaction((tx) => tx.run(sql, [before]));
    if (purged > 0) ctx.log.info({ rows: purged }, 'audit rows past their retention removed');
  };
  let timer = ctx.clock.setTimeout(function again() {
    purge().catch((error: unknown) => ctx.log.warn({ error: String(error) }, 'audit rows could not be purged'));
    timer = ctx.clock.setTimeout(again, PURGE_MS);
  }, PURGE_MS);

  const api: DirectoryApi = {
    login: (realm, username) => findLogin(store, realm, username),
    administered: (owner) => administered(store, owner),
    async changePassword({ realm, username, revision, passwordHash, source }) {
      const changed = await store.transaction(async (tx) => {
        const sql =
          'UPDATE userpass SET password_hash = $1, change_password = 0, password_set_at = $2, revision = revision + 1 WHERE realm = $3 AND username = $4 AND revision = $5';
        if ((await tx.run(sql, [passwordHash, ctx.clock.now(), realm, username, revision])) === 0) return false;
        await tx.run('DELETE FROM session WHERE realm = $1 AND username = $2', [realm, username]);
        await tx.audit({ event: 'password.change', outcome: 'success', realm, actor: username, target: username, source });
        return true;
      });
      // After the commit and before the reply: what session actors have cached of this user is not trusted any more.
      if (changed) ctx.versions?.bump(userCounter(realm, username));
      return changed ? revision + 1 : null;
    },
    isEmpty: async () => (await store.get('SELECT id FROM realm LIMIT 1')) === undefined,
    firstStart: (first) => createFirst(store, first, ctx.clock.now()),
    async hasInitialPassword(username) {
      const row = await store.get<{ change_password: number; revision: number }>(
        "SELECT change_password, revision FROM userpass WHERE realm = '_' AND username = $1",
        [username],
      );
      return row?.change_password === 1 && row.revision === 1;
    },
    record: (event) => store.transaction((tx) => tx.audit(event)),
  };
  return {
    api,
    async stop() {
      ctx.clock.clearTimeout(timer);
      await store.close();
    },
  };
});
