// The server's signing keys: one for session tokens, another for certificates, so that neither can pass for the other.
import { generateKeyPairSync } from 'node:crypto';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { Fault } from '../../kernel/fault.ts';
import { seal, unseal } from '../../kernel/seal.ts';
import type { Store, Transaction } from '../../kernel/store/store.ts';

export const SIGNING_PURPOSES = ['session', 'certificate'] as const;
export type SigningPurpose = (typeof SIGNING_PURPOSES)[number];

interface SigningKeyRow {
  readonly kid: string;
  readonly purpose: SigningPurpose;
  readonly wrapped: Uint8Array;
}

const LOCK = 'gatehouse first start';

/**
 * Makes the keys that are missing, and proves that each one in use opens.
 * @throws Fault INTERNAL naming the key that the data key does not open
 */
export async function openSigningKeys(store: Store, dataKey: Uint8Array, now: number): Promise<void> {
  const rows = await store.transaction(
    async (tx) => {
      const active = 'SELECT kid, purpose, wrapped FROM signing_key WHERE retired_at IS NULL';
      const known = await tx.all<SigningKeyRow>(active);
      for (const purpose of SIGNING_PURPOSES) if (!known.some((row) => row.purpose === purpose)) await create(tx, purpose, dataKey, now);
      return tx.all<SigningKeyRow>(active);
    },
    { lock: LOCK },
  );
  for (const { kid, purpose, wrapped } of rows) {
    const key = unseal(dataKey, aad(kid), wrapped);
    if (!key) throw new Fault('INTERNAL', { cause: new Error(`the data key does not open the ${purpose} signing key ${kid}`) });
    key.fill(0);
  }
}

/** ES256, RFC 7518 section 3.4; the key id is the thumbprint of RFC 7638. */
async function create(tx: Transaction, purpose: SigningPurpose, dataKey: Uint8Array, now: number): Promise<void> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = publicKey.export({ format: 'jwk' }) as JWK;
  const kid = await calculateJwkThumbprint(jwk);
  const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' });
  const wrapped = seal(dataKey, aad(kid), pkcs8);
  pkcs8.fill(0);
  const publicJwk = JSON.stringify({ ...jwk, kid, alg: 'ES256', use: 'sig' });
  await tx.run('INSERT INTO signing_key (kid, purpose, public_jwk, wrapped, created_at) VALUES ($1, $2, $3, $4, $5)', [kid, purpose, publicJwk, wrapped, now]);
}

function aad(kid: string): string {
  return `gatehouse signing key ${kid}`;
}
