// Checks the state and usage mask of a key for a call, and consumes its usage limits.
import { andThen } from '../../../kernel/at-once.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import type { Key } from '../object/key.ts';
import { USE, type Use } from '../object/life/usage.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import type { OperationContext } from '../operation-context.ts';
import { useFittingKey } from '../use/use-key.ts';

const BIT = MASK.CryptographicUsageMask;

/** In addition to the uses of the KMIP operations: keys that protect keys. The rights are those of Encrypt and Decrypt. */
export const WRAP: Use = { ...USE.Encrypt, bits: BIT.WrapKey };
export const UNWRAP: Use = { ...USE.Decrypt, bits: BIT.UnwrapKey };
/** RSA-OAEP encrypts a key in order to encrypt content, so both permissions will do. */
export const ENCRYPT_KEY: Use = { ...USE.Encrypt, bits: BIT.Encrypt | BIT.WrapKey };
export const DECRYPT_KEY: Use = { ...USE.Decrypt, bits: BIT.Decrypt | BIT.UnwrapKey };
export const AGREE: Use = { ...USE.Encrypt, bits: BIT.KeyAgreement };
export const AGREE_BACK: Use = { ...USE.Decrypt, bits: BIT.KeyAgreement };

export type Fits = (key: Key, object: ManagedObject) => void;

/**
 * Returns a key that fits and may be used, after consuming its usage limits.
 * @param bytes of data to protect
 * @throws the errors of `fits`, and a Refusal if the key may not be used in this way
 */
export function takeKey(ctx: OperationContext, object: ManagedObject, use: Use, bytes: number, fits: Fits): Key | Promise<Key> {
  return andThen(useFittingKey(ctx, object, use, fits), (permitted) =>
    andThen(
      permitted.spend(bytes)?.catch((error: unknown) => {
        // Some KMIP operations use this reason for exhausted limits. Here it would say that the caller is not authorized.
        throw error instanceof Refusal && error.reason === 'PermissionDenied' ? new Refusal('UsageLimitExceeded', error.message, error) : error;
      }),
      () => permitted.key,
    ),
  );
}
