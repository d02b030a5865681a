// Keys on the token of a real PKCS#11 library as a place for the key suite: the actor of the HSM runs in its thread, as in the server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BroughtKey, HsmAbout, HsmApi, HsmArgs, HsmQuirks, KeyOptions, PairOptions, TokenKey } from '../../actors/hsm/api.ts';
import { broughtKey } from '../../actors/kmip/object/hsm-key/brought.ts';
import { hsmKeys } from '../../actors/kmip/object/hsm-key/hsm-key.ts';
import { publicKeyOf } from '../../actors/kmip/object/hsm-key/public-key.ts';
import { describePublic, keptContent, usesOf } from '../../actors/kmip/object/hsm-key/shape.ts';
import { Tokens } from '../../actors/kmip/object/hsm-key/tokens.ts';
import type { KeyKind } from '../../actors/kmip/object/key.ts';
import type { Draft } from '../../actors/kmip/object/managed-object.ts';
import type { CryptographicAlgorithm } from '../../crypto/parameters.ts';
import { pinned } from '../../kernel/actor.ts';
import { createClock } from '../../kernel/clock.ts';
import { migrate } from '../../kernel/store/migrate.ts';
import { openStore } from '../../kernel/store/open.ts';
import { boolean, integer } from '../../kmip/ttlv/node.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import { HSM_MIGRATIONS } from '../../plugins/hsm/migrations.ts';
import type { Mechanism } from '../actors/kmip/key-mechanisms.ts';
import type { KeyPlace } from '../actors/kmip/key-place.ts';
import { createRuntime } from '../runtime.ts';
import type { TestToken } from '../tokens.ts';
import { privateKey, publicKey, secret } from './keys.ts';

const PREFIX = 'hsm::soft_hsm';
/** SoftHSM takes no HMAC key that is shorter than the digest. Zeros at the end do not change an HMAC key (RFC 2104 section 2). */
const MIN_HMAC_BYTES = 32;

/** What the library can, with its token. */
export interface TokenAbilities {
  readonly name: string;
  readonly can: readonly Mechanism[];
  /** The mechanism of PKCS #11 that each of the others lacks, as refusals name it. */
  readonly missing: Readonly<Partial<Record<Mechanism, string>>>;
  /** With what it unwraps other keys for itself. */
  readonly holds?: KeyPlace['holds'];
  /** Of its model. */
  readonly quirks?: HsmQuirks | undefined;
  /** Keys are made on the token; it takes none. */
  readonly takesNoMaterial?: boolean;
}

interface Place {
  readonly place: KeyPlace;
  end(): Promise<void>;
}

/** @returns the place, and what ends it */
export async function tokenPlace(token: TestToken, abilities: TokenAbilities): Promise<Place> {
  const { library, slot, pin, initializeText } = token;
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-token-'));
  const address = `sqlite:${join(folder, 'hsm.db')}`;
  const store = await openStore(address, { writer: 'test', clock: createClock() });
  await migrate(store, [{ owner: 'hsm', migrations: HSM_MIGRATIONS }], () => 1);
  const args: HsmArgs = {
    prefix: PREFIX,
    library,
    slots: [{ number: slot, pin }],
    admins: ['*'],
    probeSeconds: 60,
    alone: true,
    initializeText,
    quirks: abilities.quirks ?? {},
  };
  const spec = pinned<HsmApi, HsmArgs>({
    module: new URL('../../actors/hsm/hsm.actor.ts', import.meta.url),
    instances: { [PREFIX]: args },
    about: { [PREFIX]: { slots: [slot], admins: args.admins, library: args.library, deadlineMs: undefined } satisfies HsmAbout },
    deadlineMs: 30_000,
    store: true,
  });
  const { runtime, ref } = createRuntime({ hsm: spec }, address, folder);
  await runtime.start();
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const tokens = new Tokens(ref('hsm'), silent);
  await tokens.learn({ prefix: PREFIX, slot, name: '' });
  return {
    place: placeOn(tokens, slot, abilities),
    async end() {
      await runtime.stop();
      await store.close();
      await token.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Puts keys on the token, in the place of those of the same name. */
class Bringer {
  readonly #tokens: Tokens;
  readonly #slot: number;
  readonly #makes: boolean;
  /** How often the token has made a key of the name. */
  readonly #made = new Map<string, number>();

  /** @param makes the token makes the keys itself */
  constructor(tokens: Tokens, slot: number, makes: boolean) {
    this.#tokens = tokens;
    this.#slot = slot;
    this.#makes = makes;
  }

  #call<T>(what: string, work: Parameters<Tokens['call']>[2]): Promise<T> {
    return this.#tokens.call({ prefix: PREFIX, slot: this.#slot }, what, work) as Promise<T>;
  }

  /** Keys that the token makes have a new name each time: some tokens do not destroy a key of which they refused a use. */
  nameOf(id: string): string {
    const [, name = id, end = ''] = /^(.*?)(_pk)?$/.exec(id) ?? [];
    return this.#makes ? `${name} ${this.#made.get(name)}${end}` : id;
  }

  async #forget(name: string): Promise<void> {
    this.#made.set(name, (this.#made.get(name) ?? 0) + 1);
    if (this.#makes) return;
    for (const kind of ['secret', 'private', 'public'] as const) await this.#call('to forget a key', (hsm, slot) => hsm.destroy(slot, { name, kind }));
  }

  /** Leaves nothing of the key in the object. */
  async secret(object: Draft, key: BroughtKey & { readonly kind: 'secret' }): Promise<void> {
    await this.#forget(object.id);
    const options = this.#options(object, object.id);
    const secret = { ...options, type: key.type, bits: key.value.length * 8 };
    if (this.#makes) await this.#call('to make a key', (hsm, slot) => hsm.generate(slot, secret));
    else await this.#call('to take a key', (hsm, slot) => hsm.bring(slot, options, key));
    object.attributes.set(boolean(TAG.Extractable, false));
  }

  /** @returns the pair on the token, if the token has made it */
  async pair(name: string, halves: readonly [Draft, Draft]): Promise<TokenKey | undefined> {
    await this.#forget(name);
    const [privateHalf, publicHalf] = halves;
    privateHalf.attributes.set(boolean(TAG.Extractable, false));
    if (this.#makes) {
      const options: PairOptions = {
        ...this.#options(privateHalf, name),
        type: pairType(broughtKey(publicHalf).key),
        publicUses: usesOf(publicHalf.attributes),
      };
      return this.#call<TokenKey>('to make a pair', (hsm, slot) => hsm.generatePair(slot, options));
    }
    for (const half of halves) await this.#call('to take a key', (hsm, slot) => hsm.bring(slot, this.#options(half, name), broughtKey(half).key));
    return undefined;
  }

  #options(object: Draft, name: string): KeyOptions {
    return { name: this.nameOf(name), uses: usesOf(object.attributes), sensitive: true, extractable: false };
  }
}

function pairType(key: BroughtKey): PairOptions['type'] {
  if (key.kind !== 'public') throw new Error('a public key is needed');
  return key.key.type === 'RSA' ? { rsaBits: 2048 } : { curve: key.key.type, params: key.key.params };
}

function placeOn(tokens: Tokens, slot: number, { name, can, missing, holds, takesNoMaterial = false }: TokenAbilities): KeyPlace {
  const bringer = new Bringer(tokens, slot, takesNoMaterial);
  const identifier = (id: string) => `${PREFIX}::${slot}::${bringer.nameOf(id)}`;
  const real = hsmKeys(tokens);
  const kind: KeyKind = { holds: () => true, open: (object, ctx) => real.open({ ...object, id: identifier(object.id) }, ctx) };
  return {
    name: `keys on a token of ${name}`,
    kind,
    can: new Set(can),
    holds,
    missing: (mechanism) => missing[mechanism] ?? mechanism,
    takesMaterial: !takesNoMaterial,
    givesMaterial: false,
    takesIv: true,
    async secret(id, algorithm, material, options) {
      const object = secret(id, algorithm.startsWith('HMAC') ? padded(material) : material, algorithm, options);
      await bringer.secret(object, broughtKey(object).key as BroughtKey & { kind: 'secret' });
      object.attributes.set(integer(TAG.CryptographicLength, material.length * 8));
      return { ...object, content: keptContent(TAG.SymmetricKey, algorithm, material.length * 8) };
    },
    async pair(id, algorithm: CryptographicAlgorithm, pair) {
      const halves = [privateKey(id, pair.privateKey, algorithm), publicKey(`${id}_pk`, pair.publicKey, algorithm)] as const;
      const made = await bringer.pair(id, halves);
      const publicHalf = (made?.publicKey && publicKeyOf(made.publicKey)) ?? pair.publicKey;
      for (const half of halves) describePublic(half.attributes, publicHalf);
      const { attributes: _, ...told } = publicKey(`${id}_pk`, publicHalf, algorithm);
      return { privateKey: { ...halves[0], content: keptContent(TAG.PrivateKey, algorithm, 0) }, publicKey: { ...halves[1], ...told } };
    },
  };
}

function padded(material: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(Math.max(material.length, MIN_HMAC_BYTES));
  bytes.set(material);
  return bytes;
}
