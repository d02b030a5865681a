// The software keys that are used beside their callers: those whose every use takes less than some 100 us, and those that sign in the pool or between other requests.
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { leave } from '../../leave.ts';
import { asksForFormat } from '../cryptographic-parameters.ts';
import type { Key, KeyKind } from '../key.ts';
import type { ManagedObject } from '../managed-object.ts';
import { pairKeyOf } from './material.ts';
import { isPooledSigner, PooledSigner } from './pooled-signer.ts';
import { softwareKeys } from './software-key.ts';

/** In bits: a public key of this length and a usual exponent takes less than 100 us. */
const MAX_QUICK_RSA = 4_096;
const isUsual = (exponent: bigint | undefined): boolean => exponent !== undefined && exponent <= 65_537n;

/** The others are left to the actor. */
export const quickKeys: KeyKind = {
  holds: softwareKeys.holds,
  open(object, ctx) {
    const key = softwareKeys.open(object, ctx);
    if (isQuick(object, key)) return key;
    return isPooledSigner(object, key) ? new PooledSigner(object, key) : leave();
  },
};

/** Private keys of RSA and of curves without fast code in OpenSSL, post-quantum algorithms and FF1 are not quick, nor is parsing a certificate. */
function isQuick(object: ManagedObject, key: Key): boolean {
  if (object.type === ENUM.ObjectType.Certificate) return false;
  if (key.kind === undefined) return true;
  if (key.kind === 'secret') return key.algorithm !== 'FPE_FF1' && !object.attributes.all(TAG.CryptographicParameters).some(({ node }) => asksForFormat(node));
  if (key.algorithm === 'RSA') return key.kind === 'public' && key.length <= MAX_QUICK_RSA && isUsual(pairKeyOf(object).asymmetricKeyDetails?.publicExponent);
  return key.algorithm === 'Ed25519' || key.curve === 'P_256' || key.curve === 'CURVE25519';
}
