// The directory's part in logins: what is known, what was refused, and which one-time codes are good.
import type { Transaction } from '../../kernel/store/store.ts';
import type { CompletedLogin, DirectoryApi } from './api.ts';
import { countFailure, KNOWN_MS, lockedFactors } from './lockout.ts';
import { loginView } from './login-view.ts';
import type { Part } from './part.ts';
import { acceptedStep, useStep } from './totp.ts';

const DAY_MS = 86_400_000;

type LoginApi = Pick<DirectoryApi, 'login' | 'refuse' | 'complete' | 'checkTotp' | 'record'>;

export function loginApi(part: Part): LoginApi {
  const { store, clock, args } = part;
  return {
    login: (realm, username, source) => loginView(store, realm, username, source, clock.now()),
    refuse: (event, factor, username, source) =>
      store.transaction(async (tx) => {
        await tx.audit(event);
        const realm = event.realm ?? '';
        if (factor === null) return;
        for (const locked of await countFailure(tx, { realm, username, factor, source }, args.lockout, clock.now())) {
          await tx.audit({
            event: 'lockout',
            outcome: 'success',
            realm,
            actor: username,
            scheme: 'up',
            source,
            target: `${factor} ${locked}`,
            reason: 'too many failures',
          });
        }
      }),
    complete: (login) => store.transaction((tx) => complete(tx, login, clock.now())),
    checkTotp: (realm, username, code) => acceptedStep(part, realm, username, code),
    record: (event) => store.transaction((tx) => tx.audit(event)),
  };
}

async function complete(tx: Transaction, { realm, username, source, revision, totpStep }: CompletedLogin, now: number): Promise<boolean> {
  const credential = await tx.get<{ revision: number }>('SELECT revision FROM userpass WHERE realm = $1 AND username = $2', [realm, username]);
  if (credential?.revision !== revision) return false;
  // Tries that were under way together have been counted by now: the right one among too many wrong ones is refused like them.
  if ((await lockedFactors(tx, realm, username, source, now)).length > 0) return false;
  if (totpStep !== null && !(await useStep(tx, realm, username, totpStep))) return false;
  await tx.run('DELETE FROM lockout WHERE realm = $1 AND username = $2 AND source = $3', [realm, username, source]);
  const known = await tx.get('SELECT source FROM login_source WHERE realm = $1 AND username = $2 AND source = $3 AND completed_at > $4', [
    realm,
    username,
    source,
    now - DAY_MS,
  ]);
  if (known) return true;
  await tx.run('DELETE FROM login_source WHERE realm = $1 AND username = $2 AND completed_at < $3', [realm, username, now - KNOWN_MS]);
  const sql = `INSERT INTO login_source (realm, username, source, completed_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (realm, username, source) DO UPDATE SET completed_at = $4`;
  await tx.run(sql, [realm, username, source, now]);
  return true;
}
