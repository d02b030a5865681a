// The key-encryption key of the key server on the token of an HSM: AES-256, made there at the first start, and used for nothing else.
import { randomBytes } from 'node:crypto';
import type { HsmAnswer, HsmApi, TokenKeyName, TokenMechanism } from '../../actors/hsm/api.ts';
import type { PinnedRef, Remote } from '../../kernel/actor.ts';
import { ConfigError } from '../../kernel/config/config-error.ts';
import type { KeyEncryptionKey } from '../../kernel/key-encryption-key.ts';
import { move } from '../../kernel/runtime/bytes.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const SHORT = /^hsm::(\d{1,10}::.+)$/s;

interface Place {
  readonly hsm: Remote<HsmApi>;
  readonly slot: number;
  readonly key: TokenKeyName;
}

/** @param id `[keys] key_encryption_key` @throws ConfigError if it is not the identifier of a key in a configured HSM */
export function hsmKeyEncryptionKey(id: string, instances: PinnedRef<HsmApi>): KeyEncryptionKey {
  const key = hsmKeyNamed(fullIdentifier(id, instances.keys()), instances);
  if (key) return key;
  throw new ConfigError([`keys.key_encryption_key: ${id} is not the identifier of a key in an HSM of [[hsm_instances]]: hsm::<model>::<slot>::<name>`]);
}

/** @param full identifier with the model @returns undefined if no configured HSM holds such a key */
export function hsmKeyNamed(full: string, instances: PinnedRef<HsmApi>): KeyEncryptionKey | undefined {
  const place = placeOf(full, instances);
  if (!place) return undefined;
  const { hsm, slot, key } = place;
  const mechanism = (iv: Uint8Array, label: string): TokenMechanism => ({
    name: 'CKM_AES_GCM',
    parameter: { kind: 'gcm', iv, aad: new Uint8Array(Buffer.from(label)), tagBits: TAG_BYTES * 8 },
  });
  const seal = (bytes: Uint8Array, iv: Uint8Array, label: string) => hsm.encrypt(slot, key, mechanism(iv, label), move(new Uint8Array(bytes)));
  return {
    id: full,
    async wrap(dataKey, label) {
      const iv = new Uint8Array(randomBytes(IV_BYTES));
      let sealed = await seal(dataKey, iv, label);
      if (!sealed.ok && sealed.failure.why === 'absent') {
        const options = { name: key.name, type: 'AES', bits: 256, uses: ['encrypt', 'decrypt'], sensitive: true, extractable: false } as const;
        valueFrom(full, await hsm.generate(slot, options));
        sealed = await seal(dataKey, iv, label);
      }
      const { data, iv: chosen = iv } = valueFrom(full, sealed);
      return new Uint8Array(Buffer.concat([chosen, data]));
    },
    async unwrap(wrapped, label) {
      const iv = wrapped.slice(0, IV_BYTES);
      const opened = await hsm.decrypt(slot, key, mechanism(iv, label), wrapped.slice(IV_BYTES));
      if (opened.ok || opened.failure.why !== 'refused') return valueFrom(full, opened);
      // Many tokens say CKR_GENERAL_ERROR for a wrong tag, as for any trouble. One that works with this key has refused the data.
      valueFrom(full, await seal(new Uint8Array(1), new Uint8Array(randomBytes(IV_BYTES)), label));
      return undefined;
    },
  };
}

/** @returns the identifier with the model; the short form stands for the only instance */
function fullIdentifier(id: string, prefixes: readonly string[]): string {
  const short = SHORT.exec(id);
  return short && prefixes.length === 1 ? `${prefixes[0]}::${short[1]}` : id;
}

function placeOf(id: string, instances: PinnedRef<HsmApi>): Place | undefined {
  const prefix = instances.keys().find((each) => id.startsWith(`${each}::`));
  const [, slot, name] = (prefix && /^(\d{1,10})::(.+)$/s.exec(id.slice(prefix.length + 2))) || [];
  if (prefix === undefined || slot === undefined || name === undefined) return undefined;
  return { hsm: instances.at(prefix), slot: Number(slot), key: { name, kind: 'secret' } };
}

/** @throws Error that says why the token did not do it */
function valueFrom<T>(id: string, answer: HsmAnswer<T>): T {
  if (answer.ok) return answer.value;
  throw new Error(`${id}: ${answer.failure.text}`);
}
