// Time-based one-time codes (RFC 6238): enrolment, checks, and the rule that each code can be used only once.
import { Secret, TOTP } from 'otpauth';
import { seal, unseal } from '../../kernel/keys/seal.ts';
import { userName } from '../../kernel/store/account-name.ts';
import { liveAccount } from '../../kernel/store/accounts.ts';
import type { Reader, Transaction } from '../../kernel/store/store.ts';
import { endSessionsOf } from '../session/end.ts';
import { administers, requireAdministration } from './administered.ts';
import type { AuthParams, DirectoryApi, Principal, TotpEnrolment, TotpOutcome } from './api.ts';
import { auditChange, type DirectoryServer } from './directory-server.ts';
import { lockedFactors, openLock } from './lockout.ts';
import { refuseProof } from './refused-proof.ts';
import { mayTotp } from './totp.machine.ts';

interface Row {
  readonly wrapped: Uint8Array;
  readonly algorithm: string;
  readonly step: number;
  readonly last_step: number;
}

/** Codes of the previous and the next step are valid too, because clocks differ. */
const WINDOW = 1;
const DIGITS = 6;
const CODE = /^\d{6}$/;

const find = (store: Reader, realm: string, username: string) =>
  store.get<Row>('SELECT wrapped, algorithm, step, last_step FROM totp WHERE realm = $1 AND username = $2', [realm, username]);

const purpose = (realm: string, username: string) => `gatehouse totp ${realm}/${username}`;

export async function hasTotp(reader: Reader, realm: string, username: string): Promise<boolean> {
  return (await find(reader, realm, username)) !== undefined;
}

/** @returns the time step of a code that is valid and later than the last one used; null for any other */
export async function acceptedStep({ clock, dataKey }: DirectoryServer, reader: Reader, realm: string, username: string, code: string): Promise<number | null> {
  const row = await find(reader, realm, username);
  return row ? unused(row, stepOf(row, dataKey, realm, username, code, clock.now())) : null;
}

/** Whether a refused code was nevertheless right, so that nobody guessed: it has been used, or a later one has. */
export async function isUsedCode({ clock, dataKey }: DirectoryServer, reader: Reader, realm: string, username: string, code: string): Promise<boolean> {
  const row = await find(reader, realm, username);
  return row !== undefined && stepOf(row, dataKey, realm, username, code, clock.now()) !== null;
}

const unused = (row: Row, step: number | null): number | null => (step !== null && step > row.last_step ? step : null);

/** @returns the time step of a code that is right now, used or not */
function stepOf(row: Row, dataKey: Uint8Array, realm: string, username: string, code: string, now: number): number | null {
  if (!CODE.test(code)) return null;
  const secret = unseal(dataKey, purpose(realm, username), row.wrapped);
  if (!secret) throw new Error(`the data key does not open the second factor of ${realm}/${username}`);
  const step = validStep(secret, row.algorithm, row.step, code, now);
  secret.fill(0);
  return step;
}

/** otpauth compares in constant time, and returns by how many steps the code is off. */
function validStep(secret: Uint8Array, algorithm: string, period: number, code: string, now: number): number | null {
  const totp = new TOTP({ secret: new Secret({ buffer: secret.buffer as ArrayBuffer }), algorithm, digits: DIGITS, period });
  const delta = totp.validate({ token: code, timestamp: now, window: WINDOW });
  return delta === null ? null : Math.floor(now / 1000 / period) + delta;
}

/** Marks a code as used: it and every earlier one are refused from now on. @returns false if a concurrent login used it first */
export async function useStep(tx: Transaction, realm: string, username: string, step: number): Promise<boolean> {
  return (await tx.run('UPDATE totp SET last_step = $3 WHERE realm = $1 AND username = $2 AND last_step < $3', [realm, username, step])) === 1;
}

type TotpApi = Pick<DirectoryApi, 'enableTotp' | 'disableTotp'>;

export function totpApi(part: DirectoryServer): TotpApi {
  const { store } = part;
  return {
    enableTotp: (enrolment, by) => store.transaction((tx) => enable(part, tx, enrolment, by)),
    async disableTotp(realm, username, code, by) {
      return store.transaction(async (tx): Promise<TotpOutcome> => {
        const own = await isOwn(tx, by, realm, username);
        const mustProve = await needsFactor(tx, by, realm, username);
        const row = await find(tx, realm, username);
        if (!row) return 'missing';
        const proven = !mustProve || (await prove(part, tx, row, { realm, username, code, event: 'totp.disable' }, by));
        if (!mayTotp('enabled', { type: 'remove', proven })) return 'unproven';
        await tx.run('DELETE FROM totp WHERE realm = $1 AND username = $2', [realm, username]);
        await openLock(tx, realm, username, 'totp');
        if (!own) await endSessionsOf(tx, realm, username);
        await auditChange(tx, by, 'totp.disable', username, realm);
        return 'done';
      });
    },
  };
}

/** By the account: while the body of the request arrived, the credential may have been deleted and somebody else have got the name. */
async function isOwn(tx: Transaction, by: Principal, realm: string, username: string): Promise<boolean> {
  if (by.realm !== realm || by.username !== username || by.scheme !== 'up') return false;
  return by.account === (await liveAccount(tx, userName(realm, username)));
}

/** Users act for themselves and must prove their current factor; administrators of the realm need not. @throws Fault FORBIDDEN for all others */
async function needsFactor(tx: Transaction, by: Principal, realm: string, username: string): Promise<boolean> {
  if (!(await isOwn(tx, by, realm, username))) await requireAdministration(tx, by, [realm]);
  return !(await administers(tx, by, realm));
}

async function enable(
  part: DirectoryServer,
  tx: Transaction,
  { realm, username, secret, code, currentCode }: TotpEnrolment,
  by: Principal,
): Promise<TotpOutcome> {
  const mustProve = await needsFactor(tx, by, realm, username);
  const owner = await tx.get<{ auth_params: string }>(
    'SELECT auth_params FROM userpass JOIN realm ON realm.id = userpass.realm WHERE userpass.realm = $1 AND username = $2',
    [realm, username],
  );
  if (!owner) return 'missing';
  const { algorithm = 'SHA1', step = 30 } = (JSON.parse(owner.auth_params) as AuthParams).totp_params ?? {};
  const bytes = new Uint8Array(Secret.fromBase32(secret).buffer as ArrayBuffer);
  const valid = CODE.test(code) && validStep(bytes, algorithm, step, code, part.clock.now()) !== null;
  // Check this before the proof: an enrolment that fails anyway must neither use nor try a code of the current factor.
  if (!valid) {
    bytes.fill(0);
    return 'code-invalid';
  }
  const before = await find(tx, realm, username);
  const proven = !before || !mustProve || (await prove(part, tx, before, { realm, username, code: currentCode, event: 'totp.enable' }, by));
  if (!mayTotp(before ? 'enabled' : 'disabled', { type: 'verify', valid, proven })) return 'unproven';
  const wrapped = seal(part.dataKey, purpose(realm, username), bytes);
  bytes.fill(0);
  // Enrolment does not mark its code as used, because the first login may follow within the same step.
  await tx.run(
    `INSERT INTO totp (realm, username, wrapped, algorithm, step, last_step) VALUES ($1, $2, $3, $4, $5, 0)
     ON CONFLICT (realm, username) DO UPDATE SET wrapped = $3, algorithm = $4, step = $5, last_step = 0`,
    [realm, username, wrapped, algorithm, step],
  );
  await openLock(tx, realm, username, 'totp');
  await auditChange(tx, by, 'totp.enable', username, realm);
  return 'done';
}

interface Proof {
  readonly realm: string;
  readonly username: string;
  readonly code: string | undefined;
  /** The operation that needs the proof. */
  readonly event: string;
}

/**
 * Checks an unused code of the current factor and marks it as used. A wrong code is counted, locks and is audited as at sign-in; otherwise whoever
 * has a stolen session could guess codes. During a lock, a correct code is refused too. A missing code does not count as a guess, nor does a right one that has been used.
 */
async function prove(part: DirectoryServer, tx: Transaction, row: Row, { realm, username, code, event }: Proof, by: Principal): Promise<boolean> {
  if (code === undefined) return false;
  const now = part.clock.now();
  const right = stepOf(row, part.dataKey, realm, username, code, now);
  const step = unused(row, right);
  const locked = (await lockedFactors(tx, { realm, username, source: by.source, exists: true }, now)).includes('totp');
  if (step !== null && !locked && (await useStep(tx, realm, username, step))) return true;
  const refused = { event, outcome: 'refused', realm, actor: `${by.realm}/${by.username}`, scheme: by.scheme, source: by.source, target: username } as const;
  await refuseProof(part, tx, { ...refused, reason: 'totp' }, { realm, username, factor: 'totp', source: by.source, isGuess: right === null });
  return false;
}
