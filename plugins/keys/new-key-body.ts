// Describes the body that makes or imports a key, a JSON Web Key, for the OpenAPI document.
import type { TProperties } from 'typebox';
import { algorithmsFor } from '../../jose/algorithm.ts';
import { curvesOf } from '../../jose/curve.ts';
import type { KeyType } from '../../jose/key-type.ts';
import { RSA_MODULUS_BITS } from '../../jose/rsa.ts';
import { ML_DSA_SEED_LENGTH, SIGNATURE_ALGORITHMS } from '../../jose/signature-algorithm.ts';
import Type from '../../kernel/type.ts';
import { BASE64URL, MAX_NAME, maybe, open, text } from './crypto-members.ts';

/** The requested length of a new key; not a member of an imported JWK. */
const bits = maybe(Type.Integer({ minimum: 1, maximum: 65_536 }));
const rsaBits = maybe(Type.Integer({ minimum: RSA_MODULUS_BITS.min, maximum: RSA_MODULUS_BITS.max, multipleOf: RSA_MODULUS_BITS.multipleOf }));
const algOf = (type: KeyType) => maybe(Type.Enum(algorithmsFor(type)));
/** From `minBytes` to `maxBytes` bytes in base64url without padding; other members may determine the exact number. */
const octets = (minBytes: number, maxBytes = minBytes) =>
  Type.String({ minLength: Math.ceil((minBytes * 4) / 3), maxLength: Math.ceil((maxBytes * 4) / 3), pattern: BASE64URL, description: 'base64url' });
/** Leading zero bytes count towards the length in bytes, but not towards the bits of the modulus. */
const modulus = octets(RSA_MODULUS_BITS.min / 8, RSA_MODULUS_BITS.max / 8);
const number = octets(1, RSA_MODULUS_BITS.max / 8);
const RSA_PUBLIC = { n: modulus, e: number };
const RSA_PRIVATE = { d: number, p: number, q: number, dp: number, dq: number, qi: number };
/** As long as some of these lengths; the exact one follows from other members. */
const octetsIn = (lengths: readonly number[]) => maybe(octets(Math.min(...lengths), Math.max(...lengths)));
const curve = (type: 'EC' | 'OKP') => Type.Enum(curvesOf(type).map(({ crv }) => crv));
const coordinate = (type: 'EC' | 'OKP') => octetsIn(curvesOf(type).map(({ length }) => length));
const ML_DSA_PUBLIC = SIGNATURE_ALGORITHMS.flatMap(({ mlDsa }) => (mlDsa ? [mlDsa.publicKeyLength] : []));
const none = Type.Optional(Type.Null());
const without = (...members: string[]): TProperties => Object.fromEntries(members.map((member) => [member, none]));
const NO_RSA_PRIVATE = without(...Object.keys(RSA_PRIVATE));
const COMMON = {
  kid: maybe(
    Type.String({
      maxLength: MAX_NAME,
      description: 'where the key is to lie, if that is in an HSM: hsm::<model>::<slot>::<name>. The server gives every other key a name of its own',
    }),
  ),
  use: maybe(Type.String({ maxLength: MAX_NAME, description: 'sig or enc: narrows what the key is for', examples: ['sig'] })),
  key_ops: maybe(Type.Array(text, { uniqueItems: true, maxItems: 64, description: 'narrows what the key is for', examples: [['sign', 'verify']] })),
};
/** `kty` decides which members are read; the others are ignored. The actor checks that the numbers form a valid key, which a schema cannot. */
export const NEW_KEY = Type.Union([
  open({ ...COMMON, kty: Type.Literal('oct'), alg: none, bits: maybe(Type.Enum([128, 192, 256])), k: none }),
  open({ ...COMMON, kty: Type.Literal('oct'), alg: Type.Enum(algorithmsFor('oct')), bits, k: maybe(octets(16, 512)) }),
  open({ ...COMMON, kty: Type.Literal('RSA'), alg: algOf('RSA'), bits: rsaBits, ...RSA_PUBLIC, ...NO_RSA_PRIVATE }),
  open({ ...COMMON, kty: Type.Literal('RSA'), alg: algOf('RSA'), bits: rsaBits, ...RSA_PUBLIC, ...RSA_PRIVATE }),
  open({ ...COMMON, kty: Type.Literal('RSA'), alg: algOf('RSA'), bits: rsaBits, ...without('n', 'e'), ...NO_RSA_PRIVATE }),
  open({ ...COMMON, kty: Type.Literal('EC'), alg: algOf('EC'), crv: maybe(curve('EC')), ...without('x', 'y', 'd') }),
  open({ ...COMMON, kty: Type.Literal('EC'), alg: algOf('EC'), crv: curve('EC'), x: coordinate('EC'), y: coordinate('EC'), d: coordinate('EC') }),
  open({ ...COMMON, kty: Type.Literal('OKP'), alg: algOf('OKP'), crv: maybe(curve('OKP')), ...without('x', 'd') }),
  open({ ...COMMON, kty: Type.Literal('OKP'), alg: algOf('OKP'), crv: curve('OKP'), x: coordinate('OKP'), d: coordinate('OKP') }),
  open({
    ...COMMON,
    // Clients that predate AKP send ML-DSA keys as OKP.
    kty: Type.Enum(['AKP', 'OKP']),
    alg: Type.Enum(algorithmsFor('AKP')),
    pub: octetsIn(ML_DSA_PUBLIC),
    priv: maybe(octets(ML_DSA_SEED_LENGTH)),
  }),
]);
