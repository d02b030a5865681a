// The directory's part in logins: looks up the user, records refusals, and completes logins with a password.
import { Fault } from '../../kernel/fault.ts';
import type { Transaction } from '../../kernel/store/store.ts';
import { endSessionsOf } from '../session/end.ts';
import { requireRoom } from '../session/room.ts';
import { opensTo } from './administered.ts';
import type { CompletedLogin, DirectoryApi, ProvenLogin, SignedIn } from './api.ts';
import type { DirectoryServer } from './directory-server.ts';
import { KNOWN_MS, lockedFactors } from './lockout.ts';
import { loginView } from './login-view.ts';
import { refuseProof } from './refused-proof.ts';
import { acceptedStep, hasTotp, isUsedCode, useStep } from './totp.ts';

const DAY_MS = 86_400_000;

interface Row {
  readonly revision: number;
  readonly roles: string;
  readonly extra_claims: string | null;
}

type LoginApi = Pick<DirectoryApi, 'findSignIn' | 'refuse' | 'complete' | 'interrupt' | 'checkTotp' | 'record' | 'opensTo'>;

export function loginApi(part: DirectoryServer): LoginApi {
  const { store, clock } = part;
  return {
    findSignIn: (realm, username, source) => loginView(store, realm, username, source, clock.now()),
    refuse: (event, factor, username, source, code) =>
      store.transaction(async (tx) => {
        if (factor === null) return tx.audit(event);
        const { realm = '' } = event;
        const isGuess = factor !== 'totp' || code === undefined || !(await isUsedCode(part, tx, realm, username, code));
        return refuseProof(part, tx, event, { realm, username, factor, source, isGuess });
      }),
    complete: (login) => completeOrUndo(part, login),
    interrupt: (login, event) =>
      store.transaction(async (tx) => {
        if (!(await findStillProven(part, tx, login))) return false;
        await tx.audit(event);
        return true;
      }),
    checkTotp: async (realm, username, code) => (await acceptedStep(part, store, realm, username, code)) !== null,
    record: (event) => store.transaction((tx) => tx.audit(event)),
    opensTo: (owner) => opensTo(store, owner),
  };
}

/** Checks the proof again. Concurrent attempts have been counted by now, so a correct one among too many wrong ones is refused too. */
async function findStillProven(
  { clock }: DirectoryServer,
  tx: Transaction,
  { realm, username, source, revision, code }: ProvenLogin,
): Promise<Row | undefined> {
  const credential = await tx.get<Row>('SELECT revision, roles, extra_claims FROM userpass WHERE realm = $1 AND username = $2', [realm, username]);
  if (credential?.revision !== revision) return undefined;
  const locked = await lockedFactors(tx, { realm, username, source, exists: true }, clock.now());
  if (locked.includes('password') || (code !== null && locked.includes('totp'))) return undefined;
  return (await opensTo(tx, { realm, username, scheme: 'up' })) ? credential : undefined;
}

/** A sign-in that finds the realm full changes nothing; its audit row is written in a transaction of its own. */
async function completeOrUndo(part: DirectoryServer, login: CompletedLogin): Promise<SignedIn | null> {
  try {
    return await part.store.transaction((tx) => complete(part, tx, login));
  } catch (error) {
    const { realm, username: actor, source } = login;
    if (error instanceof Fault && error.code === 'AUTH_QUOTA_EXCEEDED')
      await part.store.transaction((tx) => tx.audit({ event: 'login', outcome: 'refused', realm, actor, scheme: 'up', source, reason: 'quota' }));
    throw error;
  }
}

/** Checks everything before it changes anything, so that a refusal here leaves no trace. */
async function complete(part: DirectoryServer, tx: Transaction, login: CompletedLogin): Promise<SignedIn | null> {
  const { realm, username, source, code, revision, passwordHash } = login;
  const credential = await findStillProven(part, tx, login);
  if (!credential) return null;
  // The second factor may have been added, removed or replaced since the code was checked: the current one decides.
  if (await hasTotp(tx, realm, username)) {
    const step = code === null ? null : await acceptedStep(part, tx, realm, username, code);
    if (step === null || !(await useStep(tx, realm, username, step))) return null;
  }
  if (passwordHash !== null) await changePassword(part, tx, login, passwordHash);
  await noteSource(tx, realm, username, source, part.clock.now());
  // A new password has ended the user's other sessions by now, which makes room.
  if (login.beginsSession) await requireRoom(tx, { realm, username, scheme: 'up' }, part.args.quotas);
  return {
    revision: passwordHash === null ? revision : revision + 1,
    roles: JSON.parse(credential.roles) as string[],
    extraClaims: credential.extra_claims === null ? {} : (JSON.parse(credential.extra_claims) as Record<string, unknown>),
  };
}

async function changePassword({ clock }: DirectoryServer, tx: Transaction, { realm, username, source }: CompletedLogin, passwordHash: string): Promise<void> {
  const sql = 'UPDATE userpass SET password_hash = $1, change_password = 0, password_set_at = $2, revision = revision + 1 WHERE realm = $3 AND username = $4';
  await tx.run(sql, [passwordHash, clock.now(), realm, username]);
  await endSessionsOf(tx, realm, username);
  await tx.audit({ event: 'password.change', outcome: 'success', realm, actor: username, scheme: 'up', source, target: username });
}

/** Marks the source of a completed login as known, and clears its failures. */
async function noteSource(tx: Transaction, realm: string, username: string, source: string, now: number): Promise<void> {
  await tx.run('DELETE FROM lockout WHERE realm = $1 AND username = $2 AND source = $3', [realm, username, source]);
  const known = await tx.get('SELECT source FROM login_source WHERE realm = $1 AND username = $2 AND source = $3 AND completed_at > $4', [
    realm,
    username,
    source,
    now - DAY_MS,
  ]);
  if (known) return;
  await tx.run('DELETE FROM login_source WHERE realm = $1 AND username = $2 AND completed_at < $3', [realm, username, now - KNOWN_MS]);
  const sql = `INSERT INTO login_source (realm, username, source, completed_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (realm, username, source) DO UPDATE SET completed_at = $4`;
  await tx.run(sql, [realm, username, source, now]);
}
