// Compares keys without a trace in OpenSSL: the comparison of keys of two types leaves an error behind, with which the next private key that is read fails.
import type { KeyObject } from 'node:crypto';

export function isSameKey(one: KeyObject, other: KeyObject): boolean {
  return one.asymmetricKeyType === other.asymmetricKeyType && one.equals(other);
}
