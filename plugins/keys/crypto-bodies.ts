// Describes the REST crypto API for the OpenAPI document; the actor checks the bodies itself. Bytes are base64url without padding.
import type { TSchema } from 'typebox';
import type { CryptoCall } from '../../actors/kmip/api.ts';
import { CONTENT_ENCRYPTIONS } from '../../jose/content-encryption.ts';
import { KEY_MANAGEMENTS } from '../../jose/key-management.ts';
import { KEY_TYPES } from '../../jose/key-type.ts';
import { MAC_ALGORITHMS } from '../../jose/mac-algorithm.ts';
import { SIGNATURE_ALGORITHMS } from '../../jose/signature-algorithm.ts';
import type { Method } from '../../kernel/http/route.ts';
import Type from '../../kernel/type.ts';
import { BASE64URL, MAX_MEMBERS, MAX_NAME, maybe, open, text } from './crypto-members.ts';
import { NEW_KEY } from './new-key-body.ts';

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
const MAX_BYTES_CHARACTERS = 16_384;

/** Headers, initialization vectors, tags and signatures. */
const bytes = Type.String({ maxLength: MAX_BYTES_CHARACTERS, pattern: BASE64URL, description: 'base64url', examples: ['aGVsbG8'] });
/** What is encrypted, signed or authenticated. */
const content = Type.String({ maxLength: MAX_BODY_BYTES, pattern: BASE64URL, description: 'base64url', examples: ['aGVsbG8'] });
const maybeContent = maybe(content);
export const kid = Type.String({ minLength: 1, maxLength: MAX_NAME, description: 'identifier of a key', examples: ['00000000-0000-4000-8000-000000000000'] });
/** One of these JOSE algorithms; the interactive page proposes `example`. */
const algorithm = (rows: Parameters<typeof namesOf>[0], example: string) => Type.Enum(namesOf(rows), { examples: [example] });
const maybeBytes = maybe(bytes);

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
