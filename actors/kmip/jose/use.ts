// What a call does with a key: held against its state and usage mask, and taken from its usage limits.
import { Refusal } from '../../../kmip/refusal.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import { requireUse, USE, type Use } from '../object/usage.ts';
import { spendUsage } from '../object/usage-limits.ts';
import type { OperationContext } from '../operation-context.ts';

const BIT = MASK.CryptographicUsageMask;

/** Beside the uses of the operations: keys that protect keys. The rights are those of Encrypt and Decrypt. */
export const WRAP: Use = { ...USE.Encrypt, bits: BIT.WrapKey };
export const UNWRAP: Use = { ...USE.Decrypt, bits: BIT.UnwrapKey };
/** RSA-OAEP encrypts a key, for the sake of content. */
export const ENCRYPT_KEY: Use = { ...USE.Encrypt, bits: BIT.Encrypt | BIT.WrapKey };
export const DECRYPT_KEY: Use = { ...USE.Decrypt, bits: BIT.Decrypt | BIT.UnwrapKey };
export const AGREE: Use = { ...USE.Encrypt, bits: BIT.KeyAgreement };
export const AGREE_BACK: Use = { ...USE.Decrypt, bits: BIT.KeyAgreement };

/** @param bytes of data to protect @throws Refusal where the key may not be used so */
export async function requireAndSpend(ctx: OperationContext, object: ManagedObject, use: Use, bytes: number): Promise<void> {
  requireUse(object, use, ctx.now);
  if (!use.protects || !object.attributes.has(TAG.UsageLimits)) return;
  try {
    await spendUsage(ctx, object, use, bytes);
  } catch (error) {
    // In KMIP some operations have that reason for exhausted limits: here it would say that the caller is nobody.
    throw error instanceof Refusal && error.reason === 'PermissionDenied' ? new Refusal('UsageLimitExceeded', error.message, error) : error;
  }
}
