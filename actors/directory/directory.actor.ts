// The directory: owns realms, credentials, second factors, admins and signing keys, and ends the sessions that a change of these makes invalid.
import { defineActor } from '../../kernel/actor.ts';
import { DataKey } from '../../kernel/keys/data-key.ts';
import type { Log } from '../../kernel/log/log-entry.ts';
import { repeat } from '../../kernel/repeat.ts';
import { encodePage } from '../../kernel/runtime/channel/encoded-page.ts';
import { realmScope } from '../../kernel/store/account-name.ts';
import { formerEndOf } from '../../kernel/store/accounts.ts';
import { purgeAudit, queryAudit } from '../../kernel/store/audit-query.ts';
import { openBelievedTime } from '../../kernel/store/believed-time.ts';
import { createForgedRows } from '../../kernel/store/forged-rows.ts';
import { adminApi } from './admins.ts';
import type { DirectoryApi } from './api.ts';
import { credentialApi } from './credentials.ts';
import type { DirectoryArgs, DirectoryServer } from './directory-server.ts';
import { firstStartApi } from './first-start.ts';
import { purgeCounters } from './lockout.ts';
import { loginApi } from './login-api.ts';
import { realmApi } from './realms.ts';
import { SigningKeyRows } from './signing-key-rows.ts';
import { openSigningKeys } from './signing-keys.ts';
import { totpApi } from './totp.ts';

const HOUR_MS = 3_600_000;

export default defineActor<DirectoryApi, DirectoryArgs>(async (args, ctx) => {
  const { clock, log } = ctx;
  const store = await ctx.openStore();
  const part: DirectoryServer = {
    store,
    clock,
    args,
    dataKey: ctx.dataKey('auth'),
  };
  const forged = createForgedRows(store, log, () => clock.monotonic(), 'signing_key.forged');
  const keyRows = new SigningKeyRows(part.dataKey, new DataKey('auth', part.dataKey, () => clock.now()), forged);
  const believedTime = await openBelievedTime(store, clock);
  const { rotate, ...signing } = await openSigningKeys(store, () => believedTime.now(), keyRows, ctx.adopts('auth'));
  const keepHouse = () => rotate().then(() => deleteOld(part, believedTime.now(), log));
  const rest = repeat(clock, HOUR_MS, keepHouse, (error) =>
    log.warn({ error: String(error) }, 'the hourly cleanup of the directory failed; the server will try again'),
  );
  return {
    api: {
      ...loginApi(part),
      ...realmApi(part),
      ...adminApi(part),
      ...credentialApi(part),
      ...totpApi(part),
      ...firstStartApi(part),
      ...signing,
      audit: async (query) => encodePage(await queryAudit(store, query)),
      formerEndOfRealm: (realm) => formerEndOf(store, realmScope(realm)),
    },
    async stop() {
      rest();
      await store.close();
    },
  };
});

async function deleteOld({ store, args }: DirectoryServer, now: number, log: Log): Promise<void> {
  await purgeCounters(store, args.lockout, now);
  const purged = await purgeAudit(store, args.auditRetentionDays, now);
  if (purged > 0) log.info({ rows: purged }, 'removed audit rows older than the retention period');
}
