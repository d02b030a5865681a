// The key-encryption key of the key server on the token of an HSM: AES-256, made there at the first start, and used for nothing else.
import { randomBytes } from 'node:crypto';
import type { HsmAnswer, HsmApi, TokenKeyName, TokenMechanism } from '../../actors/hsm/api.ts';
import type { PinnedRef, Remote } from '../../kernel/actor.ts';
import { ConfigError } from '../../kernel/config/config-error.ts';
import type { KeyEncryptionKey } from '../../kernel/keys/key-encryption-key.ts';
import { move } from '../../kernel/runtime/channel/bytes.ts';

const GCM = 'CKM_AES_GCM';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const SHORT = /^hsm::(\d{1,10}::.+)$/s;

interface Place {
  readonly hsm: Remote<HsmApi>;
  readonly slot: number;
  readonly key: TokenKeyName;
}

/** The configured HSMs. */
interface Instances {
  readonly ref: PinnedRef<HsmApi>;
  /** By the prefix of the instance. */
  readonly slots: ReadonlyMap<string, readonly number[]>;
}

/** @param section [[hsm_instances]], completed; undefined without the plugin of HSMs */
export function configuredSlots(section: unknown): ReadonlyMap<string, readonly number[]> {
  const instances = (section ?? []) as readonly { readonly prefix: string; readonly hsm_slot: readonly number[] }[];
  return new Map(instances.map(({ prefix, hsm_slot: slots }) => [prefix, slots]));
}

/** @param id `[keys] key_encryption_key` @throws ConfigError if it is not the identifier of a key in a configured slot */
export function hsmKeyEncryptionKey(id: string, instances: Instances): KeyEncryptionKey {
  const full = fullIdentifier(id, instances.ref.keys());
  const key = hsmKeyNamed(full, instances);
  if (key) return key;
  const named = namedIn(full, instances);
  const problem = named
    ? `${id} is in slot ${named.slot}, which is none of ${named.prefix} in [[hsm_instances]]; hsm_slot has ${instances.slots.get(named.prefix)?.join(', ')}`
    : `${id} is not the identifier of a key in an HSM of [[hsm_instances]]: hsm::<model>::<slot>::<name>`;
  throw new ConfigError([`keys.key_encryption_key: ${problem}`]);
}

/** @param full identifier with the model @returns undefined if no configured slot holds such a key */
export function hsmKeyNamed(full: string, instances: Instances): KeyEncryptionKey | undefined {
  const place = placeOf(full, instances);
  if (!place) return undefined;
  const { key } = place;
  const mechanism = (iv: Uint8Array, label: string): TokenMechanism => ({
    name: GCM,
    parameter: { kind: 'gcm', iv, aad: new Uint8Array(Buffer.from(label)), tagBits: TAG_BYTES * 8 },
  });
  const call = <T>(work: Call<T>): Promise<HsmAnswer<T>> => callAt(place, instances, work);
  const seal = (bytes: Uint8Array, iv: Uint8Array, label: string) =>
    call((hsm, slot) => hsm.encrypt(slot, key, mechanism(iv, label), move(new Uint8Array(bytes))));
  return {
    id: full,
    async meet() {
      const sealed = await seal(new Uint8Array(1), new Uint8Array(randomBytes(IV_BYTES)), 'meet');
      if (sealed.ok || sealed.failure.why !== 'absent') valueFrom(full, GCM, sealed);
    },
    async wrap(dataKey, label) {
      const iv = new Uint8Array(randomBytes(IV_BYTES));
      let sealed = await seal(dataKey, iv, label);
      if (!sealed.ok && sealed.failure.why === 'absent') {
        const options = { name: key.name, type: 'AES', bits: 256, uses: ['encrypt', 'decrypt'], sensitive: true, extractable: false } as const;
        valueFrom(full, 'to make the key', await call((hsm, slot) => hsm.generate(slot, options)));
        sealed = await seal(dataKey, iv, label);
      }
      const { data, iv: chosen = iv } = valueFrom(full, GCM, sealed);
      return new Uint8Array(Buffer.concat([chosen, data]));
    },
    async unwrap(wrapped, label) {
      const iv = wrapped.slice(0, IV_BYTES);
      const opened = await call((hsm, slot) => hsm.decrypt(slot, key, mechanism(iv, label), wrapped.slice(IV_BYTES)));
      if (opened.ok || opened.failure.why !== 'refused') return valueFrom(full, GCM, opened);
      // Many tokens say CKR_GENERAL_ERROR for a wrong tag, as for any trouble. One that works with this key has refused the data.
      valueFrom(full, GCM, await seal(new Uint8Array(1), new Uint8Array(randomBytes(IV_BYTES)), label));
      return undefined;
    },
  };
}

type Call<T> = (hsm: Remote<HsmApi>, slot: number) => Promise<HsmAnswer<T>>;

/** On the slot of the configuration, or on the one that has its token in its place. */
async function callAt<T>({ hsm, slot }: Place, { ref }: Instances, work: Call<T>): Promise<HsmAnswer<T>> {
  const answer = await work(hsm, slot);
  const holder = answer.ok ? undefined : answer.failure.holder;
  if (!holder) return answer;
  const there = await work(ref.at(holder.prefix), holder.slot);
  if (there.ok) return there;
  return { ok: false, failure: { ...there.failure, text: `slot ${holder.slot} of ${holder.prefix}, which has its token: ${there.failure.text}` } };
}

/** @returns the identifier with the model; the short form stands for the only instance */
function fullIdentifier(id: string, prefixes: readonly string[]): string {
  const short = SHORT.exec(id);
  return short && prefixes.length === 1 ? `${prefixes[0]}::${short[1]}` : id;
}

function placeOf(id: string, instances: Instances): Place | undefined {
  const named = namedIn(id, instances);
  if (!named || !instances.slots.get(named.prefix)?.includes(named.slot)) return undefined;
  return { hsm: instances.ref.at(named.prefix), slot: named.slot, key: { name: named.name, kind: 'secret' } };
}

/** @returns what the identifier names, whether or not the instance has such a slot; undefined without such an instance */
function namedIn(id: string, { ref }: Instances): { readonly prefix: string; readonly slot: number; readonly name: string } | undefined {
  const prefix = ref.keys().find((each) => id.startsWith(`${each}::`));
  const [, slot, name] = (prefix && /^(\d{1,10})::(.+)$/s.exec(id.slice(prefix.length + 2))) || [];
  return prefix === undefined || slot === undefined || name === undefined ? undefined : { prefix, slot: Number(slot), name };
}

/** @param what was asked of the token @throws Error that says why the token did not do it */
function valueFrom<T>(id: string, what: string, answer: HsmAnswer<T>): T {
  if (answer.ok) return answer.value;
  const { why, text } = answer.failure;
  if (why === 'mechanism') throw new Error(`${id}: the token has no mechanism ${text}, which it needs for a key-encryption key`);
  throw new Error(`${id}: ${why === 'refused' ? `the token refuses ${what}: ${text}` : text}`);
}
