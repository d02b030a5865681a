// Whether a key may be used for an operation now: its state, dates and usage mask (KMIP specification 2.1 sections 4.17, 4.40, 4.41, 4.57).
import { Refusal } from '../../../../kmip/refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../../kmip/ttlv/mask.ts';
import { nameOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { ObjectDescription } from '../managed-object.ts';
import { dateAttribute, isCryptographic, isDestroyed, stateAt } from './lifecycle.ts';

const BIT = MASK.CryptographicUsageMask;
const { State, CryptographicAlgorithm } = ENUM;

export interface Use {
  readonly operation:
    | 'Encrypt'
    | 'Decrypt'
    | 'Sign'
    | 'SignatureVerify'
    | 'MAC'
    | 'MACVerify'
    | 'DeriveKey'
    | 'GetUsageAllocation'
    | 'Get'
    | 'Import'
    | 'Encapsulate'
    | 'Decapsulate';
  /** At least one of these bits of CryptographicUsageMask must be set. */
  readonly bits: number;
  /** Bits that are also sufficient for an FF1 key. */
  readonly fpeBits?: number;
  /** Applying protection needs an Active key. Processing protected data is also permitted with a Deactivated or Compromised key. */
  readonly protects: boolean;
  /** The name of the permission in the mask, if it differs from the operation. */
  readonly permission?: string;
  /** The beginning of the message of a refusal. */
  readonly failure: string;
}

export const USE = {
  Encrypt: { operation: 'Encrypt', bits: BIT.Encrypt, fpeBits: BIT.FPEEncrypt, protects: true, failure: 'a key for encryption is not found under' },
  Decrypt: { operation: 'Decrypt', bits: BIT.Decrypt, fpeBits: BIT.FPEDecrypt, protects: false, failure: 'failed to retrieve the key' },
  Sign: { operation: 'Sign', bits: BIT.Sign, protects: true, failure: 'no valid key for id' },
  SignatureVerify: { operation: 'SignatureVerify', bits: BIT.Verify, protects: false, failure: 'no valid key for id' },
  MAC: { operation: 'MAC', bits: BIT.MACGenerate, protects: true, failure: 'no valid key for id' },
  MACVerify: { operation: 'MACVerify', bits: BIT.MACVerify, protects: false, failure: 'no valid key for id' },
  DeriveKey: { operation: 'DeriveKey', bits: BIT.DeriveKey, protects: true, failure: 'no valid key for id' },
  WrapKey: { operation: 'Get', bits: BIT.WrapKey, protects: true, permission: 'WrapKey', failure: 'no valid wrapping key' },
  UnwrapKey: { operation: 'Import', bits: BIT.UnwrapKey, protects: false, permission: 'UnwrapKey', failure: 'no valid wrapping key' },
  /** Masks have no bits of their own for it: it makes a key that two sides share, and ML-KEM keys are for encryption in 2.1. */
  Encapsulate: { operation: 'Encapsulate', bits: BIT.Encrypt | BIT.WrapKey | BIT.KeyAgreement | BIT.DeriveKey, protects: true, failure: 'no valid key for id' },
  Decapsulate: {
    operation: 'Decapsulate',
    bits: BIT.Decrypt | BIT.UnwrapKey | BIT.KeyAgreement | BIT.DeriveKey,
    protects: false,
    failure: 'no valid key for id',
  },
  /** For any kind of protection. */
  GetUsageAllocation: {
    operation: 'GetUsageAllocation',
    bits: BIT.Encrypt | BIT.Sign | BIT.WrapKey | BIT.MACGenerate | BIT.DeriveKey | BIT.CertificateSign | BIT.CRLSign | BIT.FPEEncrypt,
    protects: true,
    failure: 'no valid key for id',
  },
} as const satisfies Record<string, Use>;

/**
 * @param now seconds since the epoch
 * @throws Refusal ObjectArchived, ObjectDestroyed, InvalidObjectType, WrongKeyLifecycleState, IncompatibleCryptographicUsageMask
 */
export function requireUse(object: ObjectDescription, use: Use, now: number): void {
  if (object.archived) throw unusable(object, use, 'ObjectArchived', 'it is archived');
  const state = stateAt(object, now);
  if (state !== State.Active || !isCryptographic(object)) requireState(object, use, state);
  const { attributes } = object;
  if (use.protects) {
    const stop = dateAttribute(attributes, TAG.ProtectStopDate);
    if (stop !== undefined && now >= stop) throw unusable(object, use, 'WrongKeyLifecycleState', 'its protect stop date has passed');
  } else {
    const start = dateAttribute(attributes, TAG.ProcessStartDate);
    if (start !== undefined && now < start) throw unusable(object, use, 'WrongKeyLifecycleState', 'its process start date has not been reached');
  }
  const mask = attributes.first(TAG.CryptographicUsageMask)?.value;
  if (typeof mask === 'number' && (mask & (use.bits | BIT.Unrestricted)) !== 0) return;
  if (typeof mask === 'number' && use.fpeBits !== undefined && (mask & use.fpeBits) !== 0 && isFpe(object)) return;
  const why = mask === undefined ? 'it has no usage mask; it needs one that permits' : 'its usage mask does not permit';
  throw unusable(object, use, 'IncompatibleCryptographicUsageMask', `${why} ${use.permission ?? use.operation}`);
}

function requireState(object: ObjectDescription, use: Use, state: ObjectDescription['state']): void {
  if (isDestroyed(state)) throw unusable(object, use, 'ObjectDestroyed', 'it is destroyed');
  if (!isCryptographic(object)) throw unusable(object, use, 'InvalidObjectType', `a ${nameOf('ObjectType', object.type)} is no key`);
  if (state === State.PreActive) throw unusable(object, use, 'WrongKeyLifecycleState', 'it is not active yet');
  if (use.protects) throw unusable(object, use, 'WrongKeyLifecycleState', `it is ${state === State.Compromised ? 'compromised' : 'deactivated'}`);
}

function isFpe(object: ObjectDescription): boolean {
  return object.attributes.first(TAG.CryptographicAlgorithm)?.value === CryptographicAlgorithm.FPE_FF1;
}

/** A refusal that names the key and says why it cannot be used, in the words that clients of the operation look for. */
export function unusable(object: ObjectDescription, use: Use, reason: Refusal['reason'], why: string): Refusal {
  return new Refusal(reason, `${use.failure} ${object.id}: ${why}`);
}
