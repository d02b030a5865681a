// HKDF (RFC 5869) on a token: CKM_HKDF_DERIVE extracts a key that stays there, and HMAC with that key expands it.
import type pkcs11js from 'pkcs11js';
import { CKA, CKM } from '../../../kmip/pkcs11.ts';
import { HASH_BYTES } from '../../../kmip/token-hash.ts';
import type { MechanismParameter, TokenKeyName } from '../api.ts';
import { requireFit } from './answer-length.ts';
import { HASH, toMechanism } from './mechanism.ts';
import { passingSecret } from './template.ts';
import type { Token } from './token.ts';

export type HkdfParameter = Extract<MechanismParameter, { readonly kind: 'hkdf' }>;

/** CKF_HKDF_SALT_NULL, CKF_HKDF_SALT_KEY. */
const SALT = { none: 1n, key: 4n } as const;
/** Of CK_HKDF_PARAMS where CK_ULONG and addresses have 8 bytes, as on all platforms of the models (PKCS#11 3.0 section 2.63.2). */
const PARAMS_BYTES = 64;
const AT = { extract: 0, hash: 8, saltType: 16, saltKey: 40 } as const;

/** @param length in bytes, at most 255 times those of the hash @throws MechanismMissing, and the errors of the token */
export function hkdf(token: Token, key: TokenKeyName, { hash, salt, info }: HkdfParameter, length: number): Uint8Array {
  const { library, session } = token;
  const { mechanism } = toMechanism({ name: 'CKM_HKDF_DERIVE' }, token);
  const name = `${HASH[hash]}_HMAC`;
  const hmac = { name, mechanism: toMechanism({ name }, token) };
  const base = token.handle(key);
  const made: pkcs11js.Handle[] = [];
  try {
    const saltKey = salt.length === 0 ? undefined : library.C_CreateObject(session, [...passingSecret(salt), { type: CKA.DERIVE, value: true }]);
    if (saltKey) made.push(saltKey);
    const parameter = extraction(CKM[HASH[hash]] as number, saltKey);
    const extracted = library.C_DeriveKey(session, { mechanism, parameter }, base, stayingSecret(HASH_BYTES[hash]));
    made.push(extracted);
    return expanded(token, hmac, extracted, info, length);
  } finally {
    for (const handle of made) library.C_DestroyObject(session, handle);
  }
}

/** The binding does not know the structure, but sends bytes as they are. It can hold no address then: so the salt is a key, and there is no info, which only the expansion needs. */
function extraction(hash: number, saltKey: pkcs11js.Handle | undefined): Buffer {
  const bytes = Buffer.alloc(PARAMS_BYTES);
  bytes.writeUInt8(1, AT.extract);
  bytes.writeBigUInt64LE(BigInt(hash), AT.hash);
  bytes.writeBigUInt64LE(saltKey ? SALT.key : SALT.none, AT.saltType);
  saltKey?.copy(bytes, AT.saltKey);
  return bytes;
}

function stayingSecret(length: number): pkcs11js.Attribute[] {
  const changed: ReadonlySet<number> = new Set([CKA.SENSITIVE, CKA.EXTRACTABLE]);
  return [
    ...passingSecret(undefined, length).filter(({ type }) => !changed.has(type)),
    { type: CKA.SENSITIVE, value: true },
    { type: CKA.EXTRACTABLE, value: false },
    { type: CKA.SIGN, value: true },
  ];
}

interface Hmac {
  readonly name: string;
  readonly mechanism: pkcs11js.Mechanism;
}

/** RFC 5869 section 2.3. */
function expanded({ library, session }: Token, { name, mechanism }: Hmac, key: pkcs11js.Handle, info: Uint8Array, length: number): Uint8Array {
  const output = Buffer.alloc(length);
  let block: Buffer = Buffer.alloc(0);
  for (let at = 0, counter = 1; at < length; at += block.length, counter++) {
    library.C_SignInit(session, mechanism, key);
    block = library.C_Sign(session, Buffer.concat([block, info, Buffer.of(counter)]), Buffer.alloc(HASH_BYTES.sha512));
    requireFit('sign', { name }, 0, block.length);
    block.copy(output, at);
  }
  return new Uint8Array(output);
}
