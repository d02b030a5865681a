// A key-encryption key that a plugin keeps outside of the server, as an HSM would: it can be taken away and brought back.
import { randomBytes } from 'node:crypto';
import Type from 'typebox';
import type { KeyEncryptionKey } from '../../kernel/keys/key-encryption-key.ts';
import { seal, unseal } from '../../kernel/keys/seal.ts';
import { definePlugin } from '../../kernel/plugin.ts';

export interface KeptKey extends KeyEncryptionKey {
  isAway: boolean;
  /** Calls so far. */
  calls: number;
}

/** @param bytes 32 */
export function keptKey(id = 'vault::kek', bytes: Uint8Array = randomBytes(32)): KeptKey {
  const reach = (kept: KeptKey) => {
    kept.calls += 1;
    if (kept.isAway) throw new Error('the token is not in its slot');
  };
  return {
    id,
    isAway: false,
    calls: 0,
    async wrap(dataKey, label) {
      reach(this);
      return seal(bytes, label, dataKey);
    },
    async unwrap(wrapped, label) {
      reach(this);
      return unseal(bytes, label, wrapped);
    },
  };
}

/** @param key undefined: the plugin has none */
export function keptKeyPlugin(key: KeyEncryptionKey | undefined, name = 'kept_key') {
  return definePlugin({ name, config: Type.Object({}, { additionalProperties: false, default: {} }), keyEncryptionKey: () => key });
}
