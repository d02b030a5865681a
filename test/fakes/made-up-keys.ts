// A made-up kind of key, like those of a small token: its material is nowhere in the object and never leaves.
// Every call crosses to the token, which makes its own IVs, and it has few mechanisms.
import { createSecretKey, diffieHellman, type KeyObject, sign, verify } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { CipherAlgorithm, CipherChoice, Key, KeyKind, PartOutput } from '../../actors/kmip/object/key.ts';
import { algorithmOf } from '../../actors/kmip/object/key-attributes.ts';
import type { CipherStream } from '../../crypto/cipher/cipher.ts';
import { cipherFor } from '../../crypto/cipher/cipher.ts';
import { unwrap, wrap } from '../../crypto/cipher/wrap.ts';
import { keyFacts } from '../../crypto/key/key-algorithm.ts';
import type { CryptographicParameters } from '../../crypto/parameters.ts';
import { randomIv } from '../../crypto/random.ts';
import { equalMac, mac, macAlgorithm } from '../../crypto/signature/mac.ts';
import { Refusal } from '../../kmip/refusal.ts';
import type { Mechanism } from '../actors/kmip/key-mechanisms.ts';
import type { KeyPlace } from '../actors/kmip/key-place.ts';
import { privateKey, publicKey, secret } from './keys.ts';

const CAN: ReadonlySet<Mechanism> = new Set(['AES-GCM', 'AES-CBC', 'AES-KW', 'HMAC', 'ECDSA', 'X25519']);

/** The token: keys by the identifiers of their objects. */
const held = new Map<string, KeyObject>();
/** Operations in parts that it has open. */
const running = new Map<string, CipherStream>();

const nameOf = (mechanism: string): string => `MADE_UP_${mechanism.replaceAll(/[- ]/g, '_')}`;
const missing = (mechanism: string): Refusal => new Refusal('UnsupportedCryptographicParameters', `the token has no mechanism ${nameOf(mechanism)}`);

function requireMechanism(mechanism: Mechanism | string): void {
  if (!CAN.has(mechanism as Mechanism)) throw missing(mechanism);
}

/** In the place of a kind of key, in the list of a server: the one line that registers it. */
const madeUpKeys: KeyKind = {
  holds: ({ id }) => held.has(id),
  open: (object) => tokenKey(object.id, held.get(object.id) as KeyObject, algorithmOf(object)),
};

function tokenKey(id: string, token: KeyObject, algorithm: Key['algorithm']): Key {
  const kind = token.type;
  const facts = kind === 'secret' ? undefined : keyFacts(token);
  const ofKind = async (...kinds: readonly string[]): Promise<KeyObject> => {
    await setImmediate();
    if (!kinds.includes(kind)) throw new Refusal('InvalidObjectType', `the token has ${id} as a ${kind} key`);
    return token;
  };
  const cipher = ({ algorithm: asked, parameters }: { algorithm: CipherAlgorithm | undefined; parameters: CryptographicParameters }) => {
    const name =
      kind !== 'secret' ? (facts?.algorithm === 'RSA' ? rsaName(parameters) : 'ECIES') : asked === 'AES' ? `AES-${parameters.blockCipherMode}` : `${asked}`;
    requireMechanism(name);
    return cipherFor('AES', parameters, token.symmetricKeySize ?? 0);
  };
  const part = (value: Uint8Array, data: Uint8Array, tag?: Uint8Array): PartOutput => ({ ok: true, value, data: new Uint8Array(data), tag, valid: undefined });
  return {
    ...{
      id,
      kind,
      algorithm: facts?.algorithm ?? algorithm,
      length: facts?.length ?? (token.symmetricKeySize ?? 0) * 8,
      curve: facts?.curve,
      isForPssOnly: false,
    },
    cipher,
    takesParts: (_, choice: CipherChoice) => cipher(choice).encryptor !== undefined,
    async encrypt(input) {
      const chosen = cipher(input);
      const iv = chosen.ivBytes === undefined ? undefined : randomIv(chosen.ivBytes);
      return { ...chosen.encrypt(await ofKind('secret'), { iv, aad: input.aad, data: input.data }), iv };
    },
    decrypt: async (input) => cipher(input).decrypt(await ofKind('secret'), input),
    async sign({ data = new Uint8Array() }) {
      const key = await ofKind('private');
      requireMechanism(signatureName(key));
      return sign('sha256', data, key);
    },
    verify: async ({ data = new Uint8Array(), signature }) => verify('sha256', data, await ofKind('public'), signature),
    async mac({ parameters, data }) {
      requireMechanism(parameters.blockCipherMode === undefined ? 'HMAC' : 'CMAC');
      return mac(macAlgorithm(algorithm, parameters), await ofKind('secret'), data);
    },
    verifyMac: async ({ parameters, data }, expected) => equalMac(mac(macAlgorithm(algorithm, parameters), await ofKind('secret'), data), expected),
    wrap: async (parameters, material) => wrap('Encrypt', wrapping(await ofKind('secret', 'public'), parameters), material),
    unwrap: async (parameters, wrapped) => unwrap('Encrypt', wrapping(await ofKind('secret', 'private'), parameters), wrapped),
    derive: async ({ method }) => {
      throw missing(method);
    },
    decapsulate: async () => {
      throw missing('KEM');
    },
    async agree(peer) {
      const key = await ofKind('private');
      requireMechanism(key.asymmetricKeyType === 'x25519' ? 'X25519' : 'ECDH');
      return diffieHellman({ privateKey: key, publicKey: peer });
    },
    async parts({ is, value, data = new Uint8Array(), start }) {
      const key = await ofKind('secret');
      if (is === 'first') {
        const { algorithm: asked, parameters, aad } = start();
        const chosen = cipher({ algorithm: asked, parameters });
        const iv = randomIv(chosen.ivBytes ?? 0);
        const stream = chosen.encryptor?.(key, { iv, aad }) as CipherStream;
        const name = randomIv(16);
        running.set(String(name), stream);
        return { ...part(name, stream.update(data)), iv };
      }
      const stream = running.get(String(value));
      if (!stream) throw new Refusal('InvalidCorrelationValue', 'the token has no such operation');
      const output = stream.update(data);
      if (is === 'next') return part(value as Uint8Array, output);
      running.delete(String(value));
      const { data: rest, tag } = stream.final();
      return part(new Uint8Array(), Buffer.concat([output, rest]), tag);
    },
    publicKey: () => ofKind('public'),
    material: async () => {
      throw new Refusal('NotExtractable', `${id} does not leave the token`);
    },
  };
}

const rsaName = ({ paddingMethod }: CryptographicParameters): string => (paddingMethod === 'OAEP' ? 'RSA-OAEP' : 'RSA-PKCS1 encryption');
const signatureName = ({ asymmetricKeyType: type }: KeyObject): string => (type === 'ec' ? 'ECDSA' : type === 'rsa' ? 'RSA' : 'EdDSA');

function wrapping(key: KeyObject, parameters: CryptographicParameters) {
  requireMechanism(key.type !== 'secret' ? 'RSA-OAEP' : parameters.blockCipherMode === 'NISTKeyWrap' ? 'AES-KW' : 'AES-KWP');
  return { encryption: { key, algorithm: 'AES' as const, parameters } };
}

/** How the key suite makes such keys: the object stays without content, as that of a key that is kept elsewhere. */
export const madeUpPlace: KeyPlace = {
  name: 'made-up keys',
  kind: madeUpKeys,
  can: CAN,
  missing: (mechanism) => nameOf(mechanism === 'RSA-PKCS1' || mechanism === 'RSA-PSS' ? 'RSA' : mechanism),
  takesMaterial: true,
  givesMaterial: false,
  provesInParts: false,
  takesIv: false,
  async secret(id, algorithm, material, options) {
    held.set(id, createSecretKey(material));
    return { ...secret(id, material, algorithm, options), content: undefined };
  },
  async pair(id, algorithm, pair) {
    held.set(`${id}-private`, pair.privateKey);
    held.set(`${id}-public`, pair.publicKey);
    return {
      privateKey: { ...privateKey(`${id}-private`, pair.privateKey, algorithm), content: undefined },
      publicKey: { ...publicKey(`${id}-public`, pair.publicKey, algorithm), content: undefined },
    };
  },
};
