// Describes the REST crypto API for the OpenAPI document; the actor checks the bodies itself. Bytes are base64url without padding.
import type { TProperties, TSchema } from 'typebox';
import type { CryptoCall } from '../../actors/kmip/api.ts';
import { algorithmsFor } from '../../jose/algorithm.ts';
import { CONTENT_ENCRYPTIONS } from '../../jose/content-encryption.ts';
import { curvesOf } from '../../jose/curve.ts';
import { KEY_MANAGEMENTS } from '../../jose/key-management.ts';
import { KEY_TYPES, type KeyType } from '../../jose/key-type.ts';
import { MAC_ALGORITHMS } from '../../jose/mac-algorithm.ts';
import { RSA_MODULUS_BITS } from '../../jose/rsa.ts';
import { ML_DSA_SEED_LENGTH, SIGNATURE_ALGORITHMS } from '../../jose/signature-algorithm.ts';
import type { Method } from '../../kernel/http/route.ts';
import Type from '../../kernel/type.ts';

interface About {
  readonly method: Method;
  /** Below /v1/crypto. */
  readonly path: string;
  readonly name: CryptoCall['name'];
  readonly summary: string;
  readonly status: number;
  readonly body?: TSchema;
  readonly answer?: TSchema;
}

const namesOf = (rows: readonly { readonly name: string }[]) => rows.map(({ name }) => name);

const MAX_BODY_BYTES = 16_777_216;
/** For the header, the signature and the like that stand beside the data when it comes back. */
const ROOM_BYTES = 65_536;
/** Whatever encrypt, sign and mac take, its counterpart takes too. `mac` is both. */
const COUNTERPARTS: ReadonlySet<CryptoCall['name']> = new Set(['decrypt', 'verify', 'mac']);

export const maxBodyBytes = (name: CryptoCall['name']): number => (COUNTERPARTS.has(name) ? MAX_BODY_BYTES + ROOM_BYTES : MAX_BODY_BYTES);

/** The actor enforces the same limits. */
const MAX_NAME = 1_024;
const MAX_BYTES_CHARACTERS = 16_384;
const MAX_MEMBERS = 256;

const text = Type.String({ maxLength: MAX_NAME });
/** An optional member: the actor treats null as absent. */
const maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));
/** Canonical base64url without padding: each byte sequence has exactly one spelling. */
const BASE64URL = '^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-][AQgw]|[A-Za-z0-9_-]{2}[AEIMQUYcgkosw048])?$';
/** Headers, initialization vectors, tags and signatures. */
const bytes = Type.String({ maxLength: MAX_BYTES_CHARACTERS, pattern: BASE64URL, description: 'base64url', examples: ['aGVsbG8'] });
/** What is encrypted, signed or authenticated. */
const content = Type.String({ maxLength: MAX_BODY_BYTES, pattern: BASE64URL, description: 'base64url', examples: ['aGVsbG8'] });
const maybeContent = maybe(content);
export const kid = Type.String({ minLength: 1, maxLength: MAX_NAME, description: 'identifier of a key', examples: ['00000000-0000-4000-8000-000000000000'] });
/** One of these JOSE algorithms; the interactive page proposes `example`. */
const algorithm = (rows: Parameters<typeof namesOf>[0], example: string) => Type.Enum(namesOf(rows), { examples: [example] });
const maybeBytes = maybe(bytes);
/** Unknown members are ignored. */
const open = <P extends TProperties>(properties: P) => Type.Object(properties, { maxProperties: MAX_MEMBERS });

export const ERROR = Type.Object({ error: Type.String(), description: Type.String() });
export const PROBLEM = Type.Object({ code: Type.String(), message: Type.String(), errors: Type.Array(Type.String()), request_id: Type.String() });

const header = Type.String({ maxLength: MAX_BYTES_CHARACTERS, pattern: BASE64URL, description: 'protected header, base64url of JSON: alg, enc, kid' });
/** Its members are those that the protected header lacks. */
const beside = maybe(Type.Object({}, { maxProperties: MAX_MEMBERS, description: 'further header members, none of them in another header' }));
const sealed = {
  protected: header,
  unprotected: beside,
  header: beside,
  encrypted_key: maybeBytes,
  iv: bytes,
  ciphertext: content,
  tag: bytes,
  aad: maybeContent,
};
/** In answers, an optional member is left out and never null. */
const mayBeEmpty = 'base64url; empty with dir and ECDH-ES: a JWE in JSON has no such member then (RFC 7516 section 7.2.1)';
const encryptedKey = Type.String({ maxLength: MAX_BYTES_CHARACTERS, pattern: BASE64URL, description: mayBeEmpty });
const jwe = { protected: header, encrypted_key: encryptedKey, iv: bytes, ciphertext: content, tag: bytes, aad: Type.Optional(content) };
const kty = Type.Enum([...KEY_TYPES]);
/** The public key of a pair, as in a JWK. */
const publicMembers = Object.fromEntries(['n', 'e', 'x', 'y', 'pub'].map((member) => [member, Type.Optional(bytes)]));
const key = open({
  kid: text,
  kid_public: Type.Optional(text),
  kty,
  alg: Type.Optional(text),
  crv: Type.Optional(text),
  ...publicMembers,
  key_ops: Type.Array(text),
});
const tag = Type.String({ minLength: 1, maxLength: 255, pattern: '^[^_\\u0000][^\\u0000]*$', description: 'must not begin with _', examples: ['team-a'] });
const tags = open({ tags: Type.Array(tag, { maxItems: 256 }) });
const tagged = open({ kid: text, tags: Type.Array(text) });
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
const INTENDED = {
  use: maybe(Type.String({ maxLength: MAX_NAME, description: 'sig or enc: narrows what the key is for', examples: ['sig'] })),
  key_ops: maybe(Type.Array(text, { uniqueItems: true, maxItems: 64, description: 'narrows what the key is for', examples: [['sign', 'verify']] })),
};
/** `kty` decides which members are read; the others are ignored. The actor checks that the numbers form a valid key, which a schema cannot. */
const NEW_KEY = Type.Union([
  open({ ...INTENDED, kty: Type.Literal('oct'), alg: none, bits: maybe(Type.Enum([128, 192, 256])), k: none }),
  open({ ...INTENDED, kty: Type.Literal('oct'), alg: Type.Enum(algorithmsFor('oct')), bits, k: maybe(octets(16, 512)) }),
  open({ ...INTENDED, kty: Type.Literal('RSA'), alg: algOf('RSA'), bits: rsaBits, ...RSA_PUBLIC, ...NO_RSA_PRIVATE }),
  open({ ...INTENDED, kty: Type.Literal('RSA'), alg: algOf('RSA'), bits: rsaBits, ...RSA_PUBLIC, ...RSA_PRIVATE }),
  open({ ...INTENDED, kty: Type.Literal('RSA'), alg: algOf('RSA'), bits: rsaBits, ...without('n', 'e'), ...NO_RSA_PRIVATE }),
  open({ ...INTENDED, kty: Type.Literal('EC'), alg: algOf('EC'), crv: maybe(curve('EC')), ...without('x', 'y', 'd') }),
  open({ ...INTENDED, kty: Type.Literal('EC'), alg: algOf('EC'), crv: curve('EC'), x: coordinate('EC'), y: coordinate('EC'), d: coordinate('EC') }),
  open({ ...INTENDED, kty: Type.Literal('OKP'), alg: algOf('OKP'), crv: maybe(curve('OKP')), ...without('x', 'd') }),
  open({ ...INTENDED, kty: Type.Literal('OKP'), alg: algOf('OKP'), crv: curve('OKP'), x: coordinate('OKP'), d: coordinate('OKP') }),
  open({
    ...INTENDED,
    // Clients that predate AKP send ML-DSA keys as OKP.
    kty: Type.Enum(['AKP', 'OKP']),
    alg: Type.Enum(algorithmsFor('AKP')),
    pub: octetsIn(ML_DSA_PUBLIC),
    priv: maybe(octets(ML_DSA_SEED_LENGTH)),
  }),
]);
const ofKey = '/keys/{kid}';

function post(name: 'encrypt' | 'decrypt' | 'sign' | 'verify' | 'mac', summary: string, body: TSchema, answer: TSchema): About {
  return { method: 'POST', path: `/${name}`, name, summary, status: 200, body, answer };
}

export const ABOUT: readonly About[] = [
  post(
    'encrypt',
    'Encrypt: a JWE in its parts',
    open({
      kid,
      alg: algorithm(KEY_MANAGEMENTS, 'dir'),
      enc: algorithm(CONTENT_ENCRYPTIONS, 'A256GCM'),
      data: content,
      aad: maybeContent,
      apu: maybeBytes,
      apv: maybeBytes,
    }),
    open(jwe),
  ),
  post('decrypt', 'Decrypt the parts of a JWE', open(sealed), open({ kid: text, data: content })),
  post(
    'sign',
    'Sign: a detached JWS',
    open({ kid, alg: algorithm(SIGNATURE_ALGORITHMS, 'ES256'), data: content }),
    open({ protected: header, signature: bytes }),
  ),
  post(
    'verify',
    'Verify a detached JWS',
    open({ protected: header, header: beside, data: content, signature: bytes }),
    open({ kid: text, valid: Type.Boolean() }),
  ),
  post(
    'mac',
    'Compute a MAC, or verify the one that is given',
    open({ kid, alg: algorithm(MAC_ALGORITHMS, 'HS256'), data: content, mac: maybeBytes }),
    open({ kid: text, mac: Type.Optional(bytes), valid: Type.Optional(Type.Boolean()) }),
  ),
  {
    method: 'POST',
    path: '/keys',
    name: 'createKey',
    summary: 'Create a key, or import a JWK',
    status: 200,
    body: NEW_KEY,
    answer: key,
  },
  {
    method: 'POST',
    path: '/keys/unwrap',
    name: 'unwrapKey',
    summary: 'Import a key from a JWE',
    status: 200,
    body: open({ protected: header, unprotected: beside, header: beside, encrypted_key: bytes }),
    answer: key,
  },
  { method: 'DELETE', path: ofKey, name: 'deleteKey', summary: 'Revoke and destroy a key', status: 204 },
  { method: 'GET', path: `${ofKey}/tags`, name: 'getTags', summary: 'List the tags of a key', status: 200, answer: tagged },
  { method: 'POST', path: `${ofKey}/tags`, name: 'addTags', summary: 'Add tags to a key', status: 200, body: tags, answer: tagged },
  { method: 'DELETE', path: `${ofKey}/tags`, name: 'deleteTags', summary: 'Remove tags from a key', status: 200, body: tags, answer: tagged },
];
