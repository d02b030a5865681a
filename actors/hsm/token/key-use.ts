// Uses the keys of a token: encrypts, decrypts, signs, wraps, unwraps and derives.
import type pkcs11js from 'pkcs11js';
import { CKA } from '../../../kmip/pkcs11.ts';
import type { Sealed, TokenKeyName, TokenMechanism } from '../api.ts';
import { requireBytes, requireFit } from './answer-length.ts';
import { hkdf } from './hkdf.ts';
import { toMechanism, toSealing } from './mechanism.ts';
import { confirmUse } from './pin-wanted.ts';
import { passingSecret } from './template.ts';
import type { Token } from './token.ts';

/** The most that an output is longer than its input: a block and a tag, or a whole RSA block. */
const MARGIN_BYTES = 2_048;
/** Of any signature or MAC. */
const MAX_SIGNATURE_BYTES = 8_192;

/** Of a private key in PKCS #8, and a block more. */
const MAX_WRAPPED_BYTES = 16_384;

/** Some libraries refuse a null pointer, which the binding makes of an empty buffer that has no memory. */
const input = (data: Uint8Array): Buffer => (data.length === 0 ? Buffer.alloc(1).subarray(0, 0) : Buffer.from(data));
const output = (data: Uint8Array): Buffer => Buffer.alloc(data.length + MARGIN_BYTES);

/** Of a call with little data: memory of its own costs a short call a tenth. The calls are synchronous, so one has it at a time. */
const ROOM = Buffer.alloc(MAX_SIGNATURE_BYTES);

/** @returns a copy of what the work has put into the room of so many bytes, in which nothing stays */
function inRoom(bytes: number, work: (room: Buffer) => Buffer): Uint8Array {
  if (bytes > ROOM.length) return new Uint8Array(work(Buffer.alloc(bytes)));
  const room = ROOM.subarray(0, bytes);
  try {
    return new Uint8Array(work(room));
  } finally {
    room.fill(0);
  }
}

export function encrypt(token: Token, key: TokenKeyName, mechanism: TokenMechanism, data: Uint8Array): Sealed {
  const { library, session } = token;
  const handle = token.handle(key);
  const modulusBytes = modulusOf(token, handle, mechanism);
  const room = modulusBytes ?? data.length + MARGIN_BYTES;
  const how = toSealing(token, mechanism);
  library.C_EncryptInit(session, how.mechanism, handle);
  const sealed = inPieces(token, mechanism, data, {
    whole: () => inRoom(room, (output) => library.C_Encrypt(session, input(data), output)),
    update: (piece) => library.C_EncryptUpdate(session, input(piece), output(piece)),
    final: (output) => library.C_EncryptFinal(session, output),
  });
  if (modulusBytes !== undefined) requireBytes(mechanism.name, sealed.length, modulusBytes);
  else requireFit('encrypt', mechanism, data.length, sealed.length);
  const iv = how.chosenIv();
  return iv ? { data: sealed, iv } : { data: sealed };
}

/**
 * tpm2-pkcs11 1.9 fills the room of an RSA block and leaves its length as it was given: so RSA gets room for the block and no more.
 * @returns undefined for other mechanisms, and if the token does not say
 */
function modulusOf(token: Token, handle: pkcs11js.Handle, { name }: TokenMechanism): number | undefined {
  return name.startsWith('CKM_RSA_') ? token.read(handle, CKA.MODULUS)?.length : undefined;
}

export function decrypt(token: Token, key: TokenKeyName, mechanism: TokenMechanism, data: Uint8Array): Uint8Array {
  const { library, session } = token;
  library.C_DecryptInit(session, toMechanism(mechanism, token), token.handle(key));
  confirmUse(token, key);
  const opened = inPieces(token, mechanism, data, {
    whole: () => inRoom(data.length + MARGIN_BYTES, (output) => library.C_Decrypt(session, input(data), output)),
    // Some tokens keep all that they got until the end, because the tag is there.
    update: (piece) => library.C_DecryptUpdate(session, input(piece), output(data)),
    final: (room) => library.C_DecryptFinal(session, room),
  });
  requireFit('decrypt', mechanism, data.length, opened.length);
  return opened;
}

export function sign(token: Token, key: TokenKeyName, mechanism: TokenMechanism, data: Uint8Array): Uint8Array {
  const { library, session } = token;
  library.C_SignInit(session, toMechanism(mechanism, token), token.handle(key));
  confirmUse(token, key);
  const signature = inPieces(token, mechanism, data, {
    whole: () => inRoom(MAX_SIGNATURE_BYTES, (output) => library.C_Sign(session, input(data), output)),
    update: (piece) => {
      library.C_SignUpdate(session, input(piece));
      return Buffer.alloc(0);
    },
    final: () => library.C_SignFinal(session, Buffer.alloc(MAX_SIGNATURE_BYTES)),
  });
  requireFit('sign', mechanism, data.length, signature.length);
  return signature;
}

/** They take a digest or less than a block of RSA, and all of it at once. */
const SHORT: ReadonlySet<string> = new Set(['CKM_ECDSA', 'CKM_EDDSA', 'CKM_RSA_PKCS', 'CKM_RSA_PKCS_PSS', 'CKM_RSA_PKCS_OAEP', 'CKM_RSA_X_509']);

interface Pieces {
  whole(): Uint8Array;
  update(piece: Uint8Array): Buffer;
  /** @param room for the rest */
  final(room: Buffer): Buffer;
}

/** All data in one call, unless the library takes less at a time. */
function inPieces({ quirks }: Token, { name }: TokenMechanism, data: Uint8Array, { whole, update, final }: Pieces): Uint8Array {
  const { maxDataBytes = Number.POSITIVE_INFINITY } = quirks;
  if (data.length <= maxDataBytes || SHORT.has(name)) return whole();
  const done: Buffer[] = [];
  for (let at = 0; at < data.length; at += maxDataBytes) done.push(update(data.subarray(at, at + maxDataBytes)));
  return new Uint8Array(Buffer.concat([...done, final(output(data))]));
}

export function wrap(token: Token, key: TokenKeyName, mechanism: TokenMechanism, material: Uint8Array): Uint8Array {
  const { library, session } = token;
  const how = toMechanism(mechanism, token);
  const passing = library.C_CreateObject(session, passingSecret(material));
  const wrapped = inPassing(token, passing, () => new Uint8Array(library.C_WrapKey(session, how, token.handle(key), passing, output(material))));
  requireFit('encrypt', mechanism, material.length, wrapped.length);
  return wrapped;
}

export function wrapKey(token: Token, key: TokenKeyName, mechanism: TokenMechanism, target: TokenKeyName): Uint8Array {
  const { library, session } = token;
  const how = toMechanism(mechanism, token);
  const wrapped = new Uint8Array(library.C_WrapKey(session, how, token.handle(key, true), token.handle(target, true), Buffer.alloc(MAX_WRAPPED_BYTES)));
  requireBytes(mechanism.name, wrapped.length, 1, Number.POSITIVE_INFINITY);
  return wrapped;
}

export function unwrap(token: Token, key: TokenKeyName, mechanism: TokenMechanism, wrapped: Uint8Array): Uint8Array {
  const { library, session } = token;
  const how = toMechanism(mechanism, token);
  const passing = library.C_UnwrapKey(session, how, token.handle(key), Buffer.from(wrapped), passingSecret());
  const secret = inPassing(token, passing, () => secretOf(token, passing));
  requireFit('decrypt', mechanism, wrapped.length, secret.length);
  return secret;
}

export function derive(token: Token, key: TokenKeyName, mechanism: TokenMechanism, length: number): Uint8Array {
  const { library, session } = token;
  if (mechanism.parameter?.kind === 'hkdf') return hkdf(token, key, mechanism.parameter, length);
  const passing = library.C_DeriveKey(session, toMechanism(mechanism, token), token.handle(key), passingSecret(undefined, length));
  const secret = inPassing(token, passing, () => secretOf(token, passing));
  requireBytes(mechanism.name, secret.length, length);
  return secret;
}

function secretOf({ library, session }: Token, handle: pkcs11js.Handle): Uint8Array {
  const [attribute] = library.C_GetAttributeValue(session, handle, [{ type: CKA.VALUE }]) as { value: Buffer }[];
  return new Uint8Array(attribute?.value ?? []);
}

function inPassing<T>({ library, session }: Token, passing: pkcs11js.Handle, work: () => T): T {
  try {
    return work();
  } finally {
    library.C_DestroyObject(session, passing);
  }
}
