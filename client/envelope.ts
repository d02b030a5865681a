// Encrypts a stream of any length by a data key, in a format that openssl can open too: docs/command-line.md describes it.
import { type Piece, pieces } from './pieces.ts';

/** The first line of an envelope. */
export const ENVELOPE = 'gatehouse-envelope-1';
/** Bytes of ciphertext in a chunk, with the salt in the first one. A MAC follows each chunk. */
export const CHUNK_BYTES = 1_048_576;
const MAC_BYTES = 32;
/** `openssl enc` begins its output with this and eight bytes of salt. */
const SALTED = 'Salted__';
const SALT_BYTES = 8;
const PROLOGUE_BYTES = SALTED.length + SALT_BYTES;
/** The default of `openssl enc -pbkdf2`. The passphrase has 256 random bits, which no number of iterations makes better. */
const ITERATIONS = 10_000;
const MAX_HEADER_BYTES = 65_536;

/** Encrypts or decrypts the data key with a key of the server. The sealed form is the body of `POST /v1/crypto/decrypt`, as one line of JSON. */
export type SealDataKey = (dataKey: Uint8Array) => Promise<string>;
export type OpenDataKey = (sealed: string) => Promise<Uint8Array>;

export class EnvelopeError extends Error {
  override readonly name = 'EnvelopeError';
}

/** Memory does not depend on the length of `source`. */
export async function* sealEnvelope(source: AsyncIterable<Uint8Array>, seal: SealDataKey): AsyncGenerator<Uint8Array> {
  const dataKey = newDataKey();
  yield utf8(`${ENVELOPE}\n${await seal(utf8(dataKey))}\n`);
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  const keys = await keysOf(dataKey, salt);
  let index = 0;
  const prologue = joined(utf8(SALTED), salt);
  for await (const { bytes, isLast } of pieces(source, (at) => (at === 0 ? CHUNK_BYTES - PROLOGUE_BYTES : CHUNK_BYTES))) {
    const encrypted = new Uint8Array(await crypto.subtle.encrypt(counter(keys, index), keys.cipher, bytes));
    const chunk = index === 0 ? joined(prologue, encrypted) : encrypted;
    yield chunk;
    yield new Uint8Array(await crypto.subtle.sign('HMAC', keys.mac, authenticated(index, isLast, chunk)));
    index += 1;
  }
}

/**
 * Yields each chunk after its MAC was right. A truncated envelope shows only at its end: use nothing before the generator has ended.
 * @param source an envelope from its first byte
 * @throws EnvelopeError for one that was changed, cut off or put together differently
 */
export async function* openEnvelope(source: AsyncIterable<Uint8Array>, open: OpenDataKey): AsyncGenerator<Uint8Array> {
  const rest = source[Symbol.asyncIterator]();
  const { header, after } = await headerOf(rest);
  const dataKey = new TextDecoder().decode(await open(header));
  let keys: Keys | undefined;
  let index = 0;
  for await (const piece of pieces(following(after, rest), () => CHUNK_BYTES + MAC_BYTES)) {
    const { chunk, mac } = parted(piece);
    keys ??= await keysOf(dataKey, chunk.subarray(SALTED.length, PROLOGUE_BYTES));
    if (!(await crypto.subtle.verify('HMAC', keys.mac, mac, authenticated(index, piece.isLast, chunk))))
      throw new EnvelopeError(`the envelope was changed or cut off: the MAC of chunk ${index} is wrong`);
    const encrypted = index === 0 ? chunk.subarray(PROLOGUE_BYTES) : chunk;
    yield new Uint8Array(await crypto.subtle.decrypt(counter(keys, index), keys.cipher, encrypted));
    index += 1;
  }
}

/** The name of the type differs between Node and browsers. */
type WebKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

interface Keys {
  readonly cipher: WebKey;
  readonly mac: WebKey;
  readonly iv: Uint8Array;
}

/** A passphrase for `openssl enc` on the first line, the key of the MACs on the second, both hexadecimal. */
function newDataKey(): string {
  const random = () => hex(crypto.getRandomValues(new Uint8Array(32)));
  return `${random()}\n${random()}\n`;
}

async function keysOf(dataKey: string, salt: Uint8Array<ArrayBuffer>): Promise<Keys> {
  const [, passphrase, macKey] = /^([0-9a-f]{64})\n([0-9a-f]{64})\n$/.exec(dataKey) ?? [];
  if (passphrase === undefined || macKey === undefined) throw new EnvelopeError('the data key of the envelope has another form');
  const secret = await crypto.subtle.importKey('raw', utf8(passphrase), 'PBKDF2', false, ['deriveBits']);
  const derived = await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt, iterations: ITERATIONS }, secret, 384);
  return {
    cipher: await crypto.subtle.importKey('raw', derived.slice(0, 32), 'AES-CTR', false, ['encrypt', 'decrypt']),
    iv: new Uint8Array(derived.slice(32)),
    mac: await crypto.subtle.importKey('raw', bytesOf(macKey), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']),
  };
}

/** Where the chunk begins in the one stream of AES-CTR (NIST SP 800-38A): the prologue takes one block of the first chunk. */
function counter({ iv }: Keys, index: number) {
  const blocks = BigInt(index) * BigInt(CHUNK_BYTES / 16) - (index === 0 ? 0n : BigInt(PROLOGUE_BYTES / 16));
  const value = BigInt.asUintN(128, BigInt(`0x${hex(iv)}`) + blocks);
  return { name: 'AES-CTR', counter: bytesOf(value.toString(16).padStart(32, '0')), length: 128 };
}

/** The number of the chunk and whether it is the last one are authenticated with it, so that none can be moved or left out. */
function authenticated(index: number, isLast: boolean, chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = new Uint8Array(9);
  new DataView(head.buffer).setBigUint64(0, BigInt(index));
  head[8] = isLast ? 1 : 0;
  return joined(head, chunk);
}

function parted({ bytes }: Piece) {
  const end = bytes.length - MAC_BYTES;
  if (end < 0) throw new EnvelopeError('the envelope is cut off');
  return { chunk: bytes.subarray(0, end), mac: bytes.subarray(end) };
}

/** Both lines of the header; what was read after them belongs to the first chunk. */
async function headerOf(rest: AsyncIterator<Uint8Array>) {
  let read = new Uint8Array(0);
  for (;;) {
    const first = read.indexOf(10);
    const second = first < 0 ? -1 : read.indexOf(10, first + 1);
    if (second >= 0) {
      const [magic, header] = new TextDecoder().decode(read.subarray(0, second)).split('\n') as [string, string];
      if (magic !== ENVELOPE) throw new EnvelopeError('this is no envelope of gatehouse');
      return { header, after: read.subarray(second + 1) };
    }
    const { done, value } = await rest.next();
    if (done === true || read.length > MAX_HEADER_BYTES) throw new EnvelopeError('the envelope is cut off in its header');
    read = joined(read, value);
  }
}

async function* following(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const hex = (bytes: Uint8Array): string => Array.from(bytes, (each) => each.toString(16).padStart(2, '0')).join('');
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(text.match(/../g) ?? [], (each) => Number.parseInt(each, 16));

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
