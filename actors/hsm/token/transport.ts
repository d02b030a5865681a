// Brings the value of a key to a token that takes none in clear: wrapped by a pair that the token makes for this call, and unwrapped there.
import { constants, createCipheriv, createPrivateKey, createPublicKey, publicEncrypt, randomBytes } from 'node:crypto';
import type pkcs11js from 'pkcs11js';
import { octets, oid, sequence, unsigned } from '../../../crypto/der.ts';
import { CKA, CKK, CKM, CKO } from '../../../kmip/pkcs11.ts';
import type { BroughtKey } from '../api.ts';
import { toMechanism } from './mechanism.ts';
import type { Token } from './token.ts';

/** CKR_ATTRIBUTE_READ_ONLY, _SENSITIVE, _TYPE_INVALID, _VALUE_INVALID, CKR_ACTION_PROHIBITED, CKR_FUNCTION_NOT_SUPPORTED, CKR_TEMPLATE_INCOMPLETE, _INCONSISTENT. */
const TAKES_NO_VALUES: ReadonlySet<number | undefined> = new Set([0x10, 0x11, 0x12, 0x13, 0x1b, 0x54, 0xd0, 0xd1]);

export const takesNoValues = (code: number | undefined): boolean => TAKES_NO_VALUES.has(code);

const MODULUS_BITS = 2_048;
/** What OAEP with SHA-1 takes at most, in bytes. */
const MAX_BLOCK_BYTES = MODULUS_BITS / 8 - 2 * 20 - 2;
const KWP_IV = Buffer.from('a65959a6', 'hex');
/** RFC 5649; SoftHSM has it by the name of PKCS #11 v2.40. */
const KEY_WRAPS = ['CKM_AES_KEY_WRAP_KWP', 'CKM_AES_KEY_WRAP_PAD'] as const;

/** @param template of the key, with its value @returns its handle; undefined if the token cannot unwrap it either */
export function bringWrapped(token: Token, key: BroughtKey, template: readonly pkcs11js.Attribute[]): pkcs11js.Handle | undefined {
  const material = materialOf(key);
  const isThere = (name: string) => token.mechanisms.has(CKM[name] as number);
  if (!material || !['CKM_RSA_PKCS_KEY_PAIR_GEN', 'CKM_RSA_PKCS_OAEP'].every(isThere)) return undefined;
  const keyWrap = KEY_WRAPS.find(isThere);
  const isShort = key.kind === 'secret' && material.length <= MAX_BLOCK_BYTES;
  if (!isShort && keyWrap === undefined) return undefined;
  const without = template.filter(({ type }) => !VALUES.has(type));
  try {
    return withPair(token, (unwrap) => {
      if (isShort) return unwrap(material, without);
      const temporary = randomBytes(32);
      const cipher = createCipheriv('id-aes256-wrap-pad', temporary, KWP_IV);
      const wrapped = Buffer.concat([cipher.update(material), cipher.final()]);
      const carrier = unwrap(temporary, PASSING_AES);
      temporary.fill(0);
      return ending(token, [carrier], () =>
        token.library.C_UnwrapKey(token.session, toMechanism({ name: keyWrap as string }, token), carrier, wrapped, without),
      );
    });
  } finally {
    material.fill(0);
  }
}

/** They come from what is unwrapped. */
const VALUES: ReadonlySet<number> = new Set([
  ...[CKA.VALUE, CKA.MODULUS, CKA.PUBLIC_EXPONENT, CKA.PRIVATE_EXPONENT, CKA.PRIME_1, CKA.PRIME_2],
  ...[CKA.EXPONENT_1, CKA.EXPONENT_2, CKA.COEFFICIENT, CKA.EC_PARAMS],
]);

/** In the form that tokens unwrap: a value, or PKCS #8; undefined for keys that not all of them know in it. */
function materialOf(key: BroughtKey): Buffer | undefined {
  if (key.kind === 'public') return undefined;
  if (key.kind === 'secret') return Buffer.from(key.value);
  if ('rsa' in key) {
    const numbers = Object.fromEntries(Object.entries(key.rsa).map(([name, number]) => [name, Buffer.from(number).toString('base64url')]));
    return createPrivateKey({ format: 'jwk', key: { kty: 'RSA', ...numbers } }).export({ format: 'der', type: 'pkcs8' });
  }
  if (key.type !== 'EC') return undefined;
  const algorithm = sequence(oid('1.2.840.10045.2.1'), Buffer.from(key.params));
  return Buffer.from(sequence(unsigned(0n), algorithm, octets(sequence(unsigned(1n), octets(key.scalar)))));
}

const PASSING_AES: pkcs11js.Attribute[] = [
  { type: CKA.CLASS, value: CKO.SECRET_KEY },
  { type: CKA.KEY_TYPE, value: CKK.AES },
  { type: CKA.TOKEN, value: false },
  { type: CKA.PRIVATE, value: true },
  { type: CKA.SENSITIVE, value: true },
  { type: CKA.EXTRACTABLE, value: false },
  { type: CKA.UNWRAP, value: true },
];

type Unwrap = (material: Uint8Array, template: pkcs11js.Attribute[]) => pkcs11js.Handle;

/** The pair lies on the token for this call only. */
function withPair<T>(token: Token, work: (unwrap: Unwrap) => T): T {
  const { library, session } = token;
  const publicKey = [
    { type: CKA.TOKEN, value: false },
    { type: CKA.WRAP, value: true },
    { type: CKA.MODULUS_BITS, value: MODULUS_BITS },
    { type: CKA.PUBLIC_EXPONENT, value: Buffer.of(1, 0, 1) },
  ];
  const privateKey = [
    { type: CKA.TOKEN, value: false },
    { type: CKA.PRIVATE, value: true },
    { type: CKA.SENSITIVE, value: true },
    { type: CKA.UNWRAP, value: true },
  ];
  const pair = library.C_GenerateKeyPair(session, toMechanism({ name: 'CKM_RSA_PKCS_KEY_PAIR_GEN' }, token), publicKey, privateKey);
  return ending(token, [pair.publicKey, pair.privateKey], () => {
    const n = (token.read(pair.publicKey, CKA.MODULUS) as Buffer).toString('base64url');
    const key = createPublicKey({ format: 'jwk', key: { kty: 'RSA', n, e: 'AQAB' } });
    // Every token that has OAEP has it with SHA-1; SoftHSM with no other hash.
    const oaep = { kind: 'oaep', hash: 'sha1', maskHash: 'sha1', label: new Uint8Array() } as const;
    const mechanism = toMechanism({ name: 'CKM_RSA_PKCS_OAEP', parameter: oaep }, token);
    return work((material, template) => {
      const wrapped = publicEncrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' }, material);
      return library.C_UnwrapKey(session, mechanism, pair.privateKey, wrapped, template);
    });
  });
}

function ending<T>({ library, session }: Token, handles: readonly pkcs11js.Handle[], work: () => T): T {
  try {
    return work();
  } finally {
    for (const handle of handles) library.C_DestroyObject(session, handle);
  }
}
