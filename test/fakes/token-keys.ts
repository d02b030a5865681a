// Keys on a real token of SoftHSM as a place for the key suite: the actor of the HSM runs in its thread, as in the server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BroughtKey, HsmApi, HsmArgs } from '../../actors/hsm/api.ts';
import { broughtKey } from '../../actors/kmip/object/hsm-key/brought.ts';
import { hsmKeys } from '../../actors/kmip/object/hsm-key/hsm-key.ts';
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
import { createSoftHsm } from '../softhsm.ts';
import { SOFTHSM_LIBRARY } from '../system.ts';
import { privateKey, publicKey, secret } from './keys.ts';

const PREFIX = 'hsm::soft_hsm';
const PIN = '12345678';
/** SoftHSM takes no HMAC key that is shorter than the digest. Zeros at the end do not change an HMAC key (RFC 2104 section 2). */
const MIN_HMAC_BYTES = 32;

/** SoftHSM 2.6: no RFC 5649, OAEP with SHA-1 only, no key derivation by HKDF. */
const CAN: ReadonlySet<Mechanism> = new Set<Mechanism>([
  ...(['AES-GCM', 'AES-CBC', 'AES-CTR', 'AES-KW', 'HMAC', 'CMAC'] as const),
  ...(['RSA-PKCS1', 'RSA-PSS', 'ECDSA', 'EdDSA', 'RSA-PKCS1 encryption', 'ECDH', 'X25519'] as const),
]);
const MISSING: Readonly<Record<string, string>> = {
  'AES-KWP': 'CKM_AES_KEY_WRAP_KWP',
  'RSA-OAEP': 'CKM_RSA_PKCS_OAEP',
  HKDF: 'CKM_HKDF_DERIVE',
  ECIES: 'ECIES',
};

/** @returns the place, and what ends it */
export async function tokenPlace(): Promise<{ readonly place: KeyPlace; readonly tokens: Tokens; readonly slot: number; end(): Promise<void> }> {
  const hsm = createSoftHsm();
  const slot = hsm.addToken('suite', PIN);
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-token-'));
  const address = `sqlite:${join(folder, 'hsm.db')}`;
  const store = await openStore(address, { writer: 'test', clock: createClock() });
  await migrate(store, [{ owner: 'hsm', migrations: HSM_MIGRATIONS }], () => 1);
  const args: HsmArgs = { prefix: PREFIX, library: SOFTHSM_LIBRARY, slots: [{ number: slot, pin: PIN }], admins: ['*'], probeSeconds: 60, alone: true };
  const spec = pinned<HsmApi, HsmArgs>({
    module: new URL('../../actors/hsm/hsm.actor.ts', import.meta.url),
    instances: { [PREFIX]: args },
    deadlineMs: 30_000,
    store: true,
  });
  const { runtime, ref } = createRuntime({ hsm: spec }, address, folder);
  await runtime.start();
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const tokens = new Tokens(ref('hsm'), silent);
  await tokens.learn({ prefix: PREFIX, slot, name: '' });
  return {
    place: placeOn(tokens, slot),
    tokens,
    slot,
    async end() {
      await runtime.stop();
      await store.close();
      hsm.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function placeOn(tokens: Tokens, slot: number): KeyPlace {
  const identifier = (id: string) => `${PREFIX}::${slot}::${id}`;
  const real = hsmKeys(tokens);
  const kind: KeyKind = { holds: () => true, open: (object, ctx) => real.open({ ...object, id: identifier(object.id) }, ctx) };
  /** Brings the key to the token in the place of one of the same name, and leaves nothing of it in the object. */
  const bring = async (object: Draft, key: BroughtKey, name = object.id): Promise<void> => {
    const of = { name, kind: key.kind };
    await tokens.call({ prefix: PREFIX, slot }, 'to forget a key', (hsm) => hsm.destroy(slot, of));
    const options = { name, uses: usesOf(object.attributes), sensitive: true, extractable: false };
    await tokens.call({ prefix: PREFIX, slot }, 'to take a key', (hsm) => hsm.bring(slot, options, key));
    object.attributes.set(boolean(TAG.Extractable, false));
  };
  return {
    name: 'keys on a token of SoftHSM',
    kind,
    can: CAN,
    missing: (mechanism) => MISSING[mechanism] ?? mechanism,
    takesMaterial: true,
    givesMaterial: false,
    takesIv: true,
    async secret(id, algorithm, material, options) {
      const object = secret(id, algorithm.startsWith('HMAC') ? padded(material) : material, algorithm, options);
      await bring(object, broughtKey(object).key);
      object.attributes.set(integer(TAG.CryptographicLength, material.length * 8));
      return { ...object, content: keptContent(TAG.SymmetricKey, algorithm, material.length * 8) };
    },
    async pair(id, algorithm: CryptographicAlgorithm, pair) {
      const halves = { privateKey: privateKey(id, pair.privateKey, algorithm), publicKey: publicKey(`${id}_pk`, pair.publicKey, algorithm) };
      for (const half of [halves.privateKey, halves.publicKey]) {
        await bring(half, broughtKey(half).key, id);
        describePublic(half.attributes, pair.publicKey);
      }
      return { ...halves, privateKey: { ...halves.privateKey, content: keptContent(TAG.PrivateKey, algorithm, 0) } };
    },
  };
}

function padded(material: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(Math.max(material.length, MIN_HMAC_BYTES));
  bytes.set(material);
  return bytes;
}
