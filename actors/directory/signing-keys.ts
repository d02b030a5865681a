// The server's signing keys: one for session tokens, another for certificates; they rotate, and old public keys stay until nothing they signed can be valid.
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, type JWK, SignJWT } from 'jose';
import { Fault } from '../../kernel/fault.ts';
import { seal, unseal } from '../../kernel/seal.ts';
import type { Transaction } from '../../kernel/store/store.ts';
import type { DirectoryApi, SigningPurpose } from './api.ts';
import type { Part } from './part.ts';

const PURPOSES: readonly SigningPurpose[] = ['session', 'certificate'];
const LOCK = 'gatehouse signing keys';
const DAY_MS = 86_400_000;
const ROTATE_MS = 90 * DAY_MS;

interface Row {
  readonly kid: string;
  readonly purpose: SigningPurpose;
  readonly wrapped: Uint8Array;
  readonly created_at: number;
  readonly signed_until: number;
}

interface Active {
  readonly kid: string;
  readonly key: KeyObject;
  /** End of the life of the longest-lived thing this key has signed, as the row says; it only grows. */
  signedUntil: number;
}

type SigningKeys = Pick<DirectoryApi, 'sign' | 'publicKeys'> & {
  /** Replaces keys that are old, forgets keys that nothing valid depends on, and takes over what another node has made. */
  rotate(): Promise<void>;
};

/** @throws Fault INTERNAL naming a key that the data key does not open */
export async function openSigningKeys(part: Part): Promise<SigningKeys> {
  const { store, clock } = part;
  let active = new Map<SigningPurpose, Active>();
  const rotate = async () => {
    const rows = await store.transaction((tx) => ensureKeys(tx, part.dataKey, clock.now()), { lock: LOCK });
    active = new Map(rows.map((row) => [row.purpose, { kid: row.kid, key: openKey(row, part.dataKey), signedUntil: row.signed_until }]));
  };
  await rotate();
  return {
    rotate,
    async sign(purpose, claims) {
      const key = active.get(purpose) as Active;
      const until = Number(claims['exp']) * 1000;
      if (until > key.signedUntil) {
        // A day more than needed, so that the row is written once a day at most.
        await store.transaction((tx) => tx.run('UPDATE signing_key SET signed_until = $2 WHERE kid = $1 AND signed_until < $2', [key.kid, until + DAY_MS]));
        key.signedUntil = until + DAY_MS;
      }
      return new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', kid: key.kid, typ: 'JWT' }).sign(key.key);
    },
    async publicKeys(purpose) {
      const rows = await store.all<{ public_jwk: string }>('SELECT public_jwk FROM signing_key WHERE purpose = $1 ORDER BY created_at DESC', [purpose]);
      return rows.map((row) => JSON.parse(row.public_jwk) as Record<string, unknown>);
    },
  };
}

async function ensureKeys(tx: Transaction, dataKey: Uint8Array, now: number): Promise<Row[]> {
  await tx.run('DELETE FROM signing_key WHERE retired_at IS NOT NULL AND signed_until <= $1', [now]);
  const find = () => tx.all<Row>('SELECT kid, purpose, wrapped, created_at, signed_until FROM signing_key WHERE retired_at IS NULL');
  const known = await find();
  for (const purpose of PURPOSES) {
    const current = known.find((row) => row.purpose === purpose);
    if (current && now - current.created_at < ROTATE_MS) continue;
    if (current) await tx.run('UPDATE signing_key SET retired_at = $2 WHERE kid = $1', [current.kid, now]);
    const kid = await create(tx, purpose, dataKey, now);
    await tx.audit({ event: 'signing_key.create', outcome: 'success', target: `${purpose} ${kid}` });
  }
  return find();
}

/** ES256, RFC 7518 section 3.4; the key id is the thumbprint of RFC 7638. */
async function create(tx: Transaction, purpose: SigningPurpose, dataKey: Uint8Array, now: number): Promise<string> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = publicKey.export({ format: 'jwk' }) as JWK;
  const kid = await calculateJwkThumbprint(jwk);
  const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' });
  const wrapped = seal(dataKey, aad(kid), pkcs8);
  pkcs8.fill(0);
  const publicJwk = JSON.stringify({ ...jwk, kid, alg: 'ES256', use: 'sig' });
  await tx.run('INSERT INTO signing_key (kid, purpose, public_jwk, wrapped, created_at, signed_until) VALUES ($1, $2, $3, $4, $5, 0)', [
    kid,
    purpose,
    publicJwk,
    wrapped,
    now,
  ]);
  return kid;
}

function openKey({ kid, purpose, wrapped }: Row, dataKey: Uint8Array): KeyObject {
  const pkcs8 = unseal(dataKey, aad(kid), wrapped);
  if (!pkcs8) throw new Fault('INTERNAL', { cause: new Error(`the data key does not open the ${purpose} signing key ${kid}`) });
  const key = createPrivateKey({ key: Buffer.from(pkcs8.buffer as ArrayBuffer), format: 'der', type: 'pkcs8' });
  pkcs8.fill(0);
  return key;
}

function aad(kid: string): string {
  return `gatehouse signing key ${kid}`;
}
