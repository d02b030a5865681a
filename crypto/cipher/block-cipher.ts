// Unauthenticated modes of block ciphers with OpenSSL: ECB, CBC, CFB, OFB and CTR (NIST SP 800-38A), in one call or as a stream.
import { type Cipheriv, createCipheriv, createDecipheriv, type Decipheriv } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { keyObject } from '../key/secret-key.ts';
import type { CryptographicParameters } from '../parameters.ts';
import type { Cipher, CipherStream, Ciphertext } from './cipher.ts';
import { checkedIv, type IvRule, takesIv } from './initialization-vector.ts';
import { type BlockPadding, dataBytes, isManual, type ManualPadding, padding as paddingFor } from './padding.ts';

interface BlockMode {
  readonly name: string;
  readonly openssl: string;
  readonly blockBytes: number;
  /** Undefined for ECB, which ignores an IV. */
  readonly ivBytes: number | undefined;
  /** Only for modes that need whole blocks; absent for modes that turn the cipher into a stream cipher. */
  readonly padding?: BlockPadding;
}

export function blockCipher(mode: BlockMode): Cipher {
  const { name, ivBytes, blockBytes, padding } = mode;
  const rule = ivBytes === undefined ? undefined : { bytes: ivBytes, min: ivBytes, max: ivBytes };
  return {
    ...createStreamed({ ...mode, rule, block: (iv) => iv, pieces: (cipher, encrypting) => piecesOf(cipher, encrypting, padding, blockBytes), name }),
    requireLengths(what, { iv, bytes }) {
      if (rule !== undefined) checkedIv(name, rule, iv);
      if (padding === 'None' && bytes % blockBytes !== 0) throw partialBlock(blockBytes);
      // The padding of no data at all is a block.
      if (what === 'decrypt' && padding !== undefined && (bytes % blockBytes !== 0 || (bytes === 0 && padding === 'PKCS5'))) throw notDecrypted();
    },
  };
}

/**
 * Makes a CTR cipher. The IV is the entire first counter block, of which the last CounterLength bits count, by default all. If there is an
 * InitialCounterValue (RFC 3686), the IV is only the part before the counter, which has 32 bits by default.
 */
export function counterMode(name: string, openssl: string, { counterLength, initialCounterValue }: CryptographicParameters): Cipher {
  if (counterLength !== undefined && (counterLength < 1 || counterLength > BLOCK_BITS))
    throw new CryptoError('invalid', `CounterLength must be 1 to ${BLOCK_BITS} bits`);
  const counted = { name, openssl, pieces: (cipher: Cipheriv | Decipheriv) => plain(cipher) };
  if (initialCounterValue === undefined)
    return createStreamed({ ...counted, rule: { bytes: 16, min: 16, max: 16 }, block: (iv) => iv, room: (first) => counterRoom(first, counterLength) });
  const bits = counterLength ?? 32;
  if (bits !== 32 && bits !== 64) throw new CryptoError('unsupported', `a counter of ${bits} bits is not supported; use 32 or 64`);
  if (initialCounterValue < 0) throw new CryptoError('invalid', 'InitialCounterValue must not be negative');
  const nonceBytes = 16 - bits / 8;
  const block = (nonce: Uint8Array) => {
    const first = Buffer.alloc(16);
    first.set(nonce);
    first.writeUInt32BE(initialCounterValue, 12);
    return first;
  };
  return createStreamed({ ...counted, rule: { bytes: nonceBytes, min: nonceBytes, max: nonceBytes }, block, room: (first) => counterRoom(first, bits) });
}

const BLOCK_BITS = 128;

/** The bytes that the counter has numbers for, from the first block on. OpenSSL would carry into the nonce then, and use the key stream of another one again. */
function counterRoom(first: Uint8Array, bits = BLOCK_BITS): number {
  if (bits === BLOCK_BITS) return Number.POSITIVE_INFINITY;
  const limit = 1n << BigInt(bits);
  const value = BigInt(`0x${Buffer.from(first).toString('hex')}`) % limit;
  return Number(limit - value) * (BLOCK_BITS / 8);
}

interface Streamed {
  readonly name: string;
  readonly openssl: string;
  readonly rule: IvRule | undefined;
  /** Makes the IV for OpenSSL from the client's IV. */
  readonly block: (iv: Uint8Array) => Uint8Array;
  readonly pieces: (cipher: Cipheriv | Decipheriv, encrypting: boolean) => CipherStream;
  /** How many bytes may be encrypted with this IV of OpenSSL; without it, any number. */
  readonly room?: (iv: Uint8Array) => number;
}

/** Makes a cipher without a tag, which encrypts and decrypts in one call by running its stream. */
export function createStreamed({ name, openssl, rule, block, pieces, room }: Streamed): Cipher {
  const ivFor = (iv: Uint8Array | undefined) => (rule === undefined ? null : block(checkedIv(name, rule, iv)));
  const within = (iv: Uint8Array | null, stream: CipherStream) => (room && iv ? limited(stream, room(iv)) : stream);
  const start = (iv: Uint8Array | null, cipher: Cipheriv | Decipheriv, encrypting: boolean) => within(iv, pieces(cipher, encrypting));
  const encryptor: Cipher['encryptor'] = (key, input) => {
    const iv = ivFor(input.iv);
    return start(iv, createCipheriv(openssl, keyObject(key), iv), true);
  };
  const decryptor: Cipher['decryptor'] = (key, input) => {
    const iv = ivFor(input.iv);
    return start(iv, createDecipheriv(openssl, keyObject(key), iv), false);
  };
  return {
    ...{ name, ...takesIv(rule), authenticated: false, tagBytes: 0 },
    requireLengths(_, given) {
      const iv = ivFor(given.iv);
      if (room && iv) roomAfter(room(iv), room(iv), given.bytes);
    },
    encrypt: (key, input) => ({ data: whole(encryptor(key, input), input.data) }),
    decrypt: (key, input) => whole(decryptor(key, input), input.data),
    ...{ encryptor, decryptor },
  };
}

function whole(stream: CipherStream, data: Uint8Array): Uint8Array {
  const head = stream.update(data);
  return join(head, stream.final().data);
}

/** @param room in bytes @returns what is left of it */
function roomAfter(room: number, left: number, bytes: number): number {
  if (bytes > left)
    throw new CryptoError('invalid', `the counter has numbers for ${room} bytes from this IV on, not for more: use another IV or a longer counter`);
  return left - bytes;
}

function join(head: Uint8Array, tail: Uint8Array): Uint8Array {
  if (tail.length === 0) return head;
  return head.length === 0 ? tail : Buffer.concat([head, tail]);
}

function piecesOf(cipher: Cipheriv | Decipheriv, encrypting: boolean, padding: BlockPadding | undefined, blockBytes: number): CipherStream {
  if (padding === undefined) return plain(cipher);
  cipher.setAutoPadding(padding === 'PKCS5');
  if (isManual(padding)) return encrypting ? padStream(cipher, padding, blockBytes) : unpadStream(cipher, padding, blockBytes);
  const refuse = padding === 'None' ? () => partialBlock(blockBytes) : notDecrypted;
  return plain(cipher, refuse);
}

export function plain(cipher: Cipheriv | Decipheriv, refuse: (cause: unknown) => CryptoError = notDecrypted): CipherStream {
  return { update: (data) => cipher.update(data), final: () => ({ data: last(cipher, refuse) }) };
}

function limited(stream: CipherStream, room: number): CipherStream {
  let left = room;
  return {
    ...stream,
    update(data) {
      left = roomAfter(room, left, data.length);
      return stream.update(data);
    },
  };
}

function padStream(cipher: Cipheriv | Decipheriv, padding: ManualPadding, blockBytes: number): CipherStream {
  let length = 0;
  return {
    update(data) {
      length += data.length;
      return cipher.update(data);
    },
    final(): Ciphertext {
      const data = cipher.update(paddingFor(padding, length, blockBytes));
      cipher.final();
      return { data };
    },
  };
}

/** Holds a block back until more data comes, because only the last block contains padding. */
function unpadStream(cipher: Cipheriv | Decipheriv, padding: ManualPadding, blockBytes: number): CipherStream {
  let held: Uint8Array = new Uint8Array();
  return {
    update(data) {
      const out = join(held, cipher.update(data));
      const known = Math.max(0, out.length - blockBytes);
      held = out.subarray(known);
      return out.subarray(0, known);
    },
    final(): Ciphertext {
      last(cipher, notDecrypted);
      const bytes = dataBytes(padding, held, blockBytes);
      if (bytes === undefined) throw notDecrypted();
      return { data: held.subarray(0, bytes) };
    },
  };
}

function last(cipher: Cipheriv | Decipheriv, refuse: (cause: unknown) => CryptoError): Uint8Array {
  try {
    return cipher.final();
  } catch (cause) {
    throw refuse(cause);
  }
}

/** All padding errors have the same message, so that an attacker learns nothing about the padding. */
export function notDecrypted(cause?: unknown): CryptoError {
  return new CryptoError('failed', 'the data could not be decrypted with this key and these parameters', cause);
}

function partialBlock(blockBytes: number): CryptoError {
  return new CryptoError('invalid', `without padding, the length of the data must be a multiple of ${blockBytes} bytes`);
}
