// What the OpenAPI document says of the REST crypto API; the actor checks bodies by itself. Bytes are base64url without padding.
import Type, { type TProperties, type TSchema } from 'typebox';
import type { CryptoCall } from '../../actors/kmip/api.ts';
import type { Method } from '../../kernel/http/route.ts';

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

/** Bytes of a body. */
export const MAX_BODY_BYTES = 16_777_216;
/** The actor holds the same. */
const MAX_NAME = 1_024;
const MAX_BYTES_CHARACTERS = 16_384;
const MAX_MEMBERS = 256;

const text = Type.String({ maxLength: MAX_NAME });
const maybe = Type.Optional(text);
/** Numbers of keys, headers, initialization vectors, tags and signatures. */
const bytes = Type.String({ maxLength: MAX_BYTES_CHARACTERS, description: 'base64url', examples: ['aGVsbG8'] });
/** What is encrypted, signed or authenticated. */
const content = Type.String({ maxLength: MAX_BODY_BYTES, description: 'base64url', examples: ['aGVsbG8'] });
const maybeContent = Type.Optional(content);
export const kid = Type.String({ minLength: 1, maxLength: MAX_NAME, description: 'identifier of a key', examples: ['00000000-0000-4000-8000-000000000000'] });
/** A registered JOSE algorithm, and the one that the interactive page proposes. */
const algorithm = (example: string) => Type.String({ maxLength: MAX_NAME, examples: [example] });
const maybeBytes = Type.Optional(bytes);
/** Unknown members are ignored. */
const open = <P extends TProperties>(properties: P) => Type.Object(properties, { maxProperties: MAX_MEMBERS });

export const ERROR = Type.Object({ error: Type.String(), description: Type.String() });

const header = Type.String({ maxLength: MAX_BYTES_CHARACTERS, description: 'protected header, base64url of JSON: alg, enc, kid' });
const sealed = { protected: header, encrypted_key: maybeBytes, iv: bytes, ciphertext: content, tag: bytes, aad: maybeContent };
const kty = Type.Enum(['oct', 'RSA', 'EC', 'OKP', 'AKP']);
const key = open({ kid: text, kid_public: maybe, kty, alg: maybe, crv: maybe, key_ops: Type.Array(text) });
const newKey = open({
  kty,
  ...{ alg: maybe, crv: maybe, bits: Type.Optional(Type.Integer()) },
  ...{ k: maybeBytes, d: maybeBytes, x: maybeBytes, y: maybeBytes, n: maybeBytes, e: maybeBytes },
  ...{ pub: maybeBytes, priv: maybeBytes },
  ...{ p: maybeBytes, q: maybeBytes, dp: maybeBytes, dq: maybeBytes, qi: maybeBytes },
});
const tags = open({ tags: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 256 }) });
const tagged = open({ kid: text, tags: Type.Array(text) });
const ofKey = '/keys/{kid}';

function post(name: 'encrypt' | 'decrypt' | 'sign' | 'verify' | 'mac', summary: string, body: TSchema, answer: TSchema): About {
  return { method: 'POST', path: `/${name}`, name, summary, status: 200, body, answer };
}

export const ABOUT: readonly About[] = [
  post(
    'encrypt',
    'Encrypt: a JWE in its parts',
    open({ kid, alg: algorithm('dir'), enc: algorithm('A256GCM'), data: content, aad: maybeContent, apu: maybeBytes, apv: maybeBytes }),
    open(sealed),
  ),
  post('decrypt', 'Decrypt the parts of a JWE', open(sealed), open({ kid: text, data: bytes })),
  post('sign', 'Sign: a detached JWS', open({ kid, alg: algorithm('ES256'), data: content }), open({ protected: header, signature: bytes })),
  post('verify', 'Verify a detached JWS', open({ protected: header, data: content, signature: bytes }), open({ kid: text, valid: Type.Boolean() })),
  post(
    'mac',
    'Compute a MAC, or verify the one that is given',
    open({ kid, alg: algorithm('HS256'), data: content, mac: maybeBytes }),
    open({ kid: text, mac: maybeBytes, valid: Type.Optional(Type.Boolean()) }),
  ),
  { method: 'POST', path: '/keys', name: 'createKey', summary: 'Make a key, or import the one that is given as a JWK', status: 200, body: newKey, answer: key },
  {
    method: 'POST',
    path: '/keys/unwrap',
    name: 'unwrapKey',
    summary: 'Import the key that a JWE encrypts',
    status: 200,
    body: open({ protected: header, encrypted_key: bytes }),
    answer: key,
  },
  { method: 'DELETE', path: ofKey, name: 'deleteKey', summary: 'Revoke and destroy a key', status: 204 },
  { method: 'GET', path: `${ofKey}/tags`, name: 'getTags', summary: 'The tags of a key', status: 200, answer: tagged },
  { method: 'POST', path: `${ofKey}/tags`, name: 'addTags', summary: 'Add tags to a key', status: 200, body: tags, answer: tagged },
  { method: 'DELETE', path: `${ofKey}/tags`, name: 'deleteTags', summary: 'Take tags from a key', status: 200, body: tags, answer: tagged },
];
