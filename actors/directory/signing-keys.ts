// The server's signing keys: one for session tokens, one for certificates. They rotate; an old public key stays published while anything that it signed can be valid.
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, type JWK, SignJWT } from 'jose';
import { Fault } from '../../kernel/fault.ts';
import type { Store, Transaction } from '../../kernel/store/store.ts';
import type { DirectoryApi, SigningPurpose } from './api.ts';
import type { SigningKeyRow, SigningKeyRows } from './signing-key-rows.ts';

const PURPOSES: readonly SigningPurpose[] = ['session', 'certificate'];
const LOCK = 'gatehouse signing keys';
const DAY_MS = 86_400_000;
const ROTATE_MS = 90 * DAY_MS;

interface Active {
  readonly kid: string;
  readonly key: KeyObject;
  /** Latest expiry of anything that this key has signed, as the row says; it only grows. */
  signedUntil: number;
}

type SigningKeys = Pick<DirectoryApi, 'sign' | 'publicKeys'> & {
  /** Replaces old keys, deletes keys that nothing valid depends on, and loads keys that another node has created. */
  rotate(): Promise<void>;
};

/**
 * @param now the believed time: a key that is deleted verifies nothing any more @param adopts whether there may be rows that are older than MACs
 * @throws Fault INTERNAL that names a key which the data key does not open
 */
export async function openSigningKeys(store: Store, now: () => number, rows: SigningKeyRows, adopts: boolean): Promise<SigningKeys> {
  let active = new Map<SigningPurpose, Active>();
  const rotate = async () => {
    const current = await store.transaction((tx) => ensureKeys(tx, rows, now()), { lock: LOCK });
    // If there are two, because an older row was put back, use the newer one.
    active = new Map(current.toReversed().map((row) => [row.purpose, { kid: row.kid, key: openKey(row, rows), signedUntil: row.signed_until }]));
  };
  /** Makes sure that the key stays published until then. @returns false if the row of the key is missing */
  const reaches = async (active: Active, until: number): Promise<boolean> => {
    if (until <= active.signedUntil) return true;
    // One day more than needed, so that the row is written at most once a day.
    const row = await store.transaction((tx) => rows.extend(tx, active.kid, until + DAY_MS));
    active.signedUntil = row?.signed_until ?? active.signedUntil;
    return row !== undefined;
  };
  if (adopts) await rows.adopt(store, LOCK);
  await rotate();
  return {
    rotate,
    async sign(purpose, claims) {
      const until = Number(claims['exp']) * 1000;
      // A key whose row is missing, or was not written by the server, is no longer published, so another key must sign.
      for (let tries = 0; tries < 2 && !(await reaches(active.get(purpose) as Active, until)); tries++) await rotate();
      const { kid, key } = active.get(purpose) as Active;
      return new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', kid, typ: 'JWT' }).sign(key);
    },
    async publicKeys(purpose) {
      return (await rows.all(store)).filter((row) => row.purpose === purpose).map((row) => JSON.parse(row.public_jwk) as Record<string, unknown>);
    },
  };
}

async function ensureKeys(tx: Transaction, rows: SigningKeyRows, now: number): Promise<SigningKeyRow[]> {
  await tx.run('DELETE FROM signing_key WHERE retired_at IS NOT NULL AND signed_until <= $1', [now]);
  const find = async () => (await rows.all(tx)).filter((row) => row.retired_at === null);
  const known = await find();
  for (const purpose of PURPOSES) {
    const current = known.find((row) => row.purpose === purpose);
    if (current && now - current.created_at < ROTATE_MS) continue;
    if (current) await rows.retire(tx, current, now);
    const kid = await create(tx, rows, purpose, now);
    await tx.audit({ event: 'signing_key.create', outcome: 'success', target: `${purpose} ${kid}` });
  }
  return find();
}

/** ES256, RFC 7518 section 3.4; the key id is the thumbprint of RFC 7638. */
async function create(tx: Transaction, rows: SigningKeyRows, purpose: SigningPurpose, now: number): Promise<string> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = publicKey.export({ format: 'jwk' }) as JWK;
  const kid = await calculateJwkThumbprint(jwk);
  const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' });
  const publicJwk = JSON.stringify({ ...jwk, kid, alg: 'ES256', use: 'sig' });
  await rows.insert(tx, { kid, purpose, public_jwk: publicJwk, created_at: now, signed_until: 0, retired_at: null }, pkcs8);
  pkcs8.fill(0);
  return kid;
}

function openKey(row: SigningKeyRow, rows: SigningKeyRows): KeyObject {
  const key = rows.open(row);
  if (!key) throw new Fault('INTERNAL', { cause: new Error(`the data key does not open the ${row.purpose} signing key ${row.kid}`) });
  return key;
}
