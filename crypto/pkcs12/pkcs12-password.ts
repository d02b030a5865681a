// Derives keys from the password of a PKCS#12 file, by PBKDF2 and PKCS#12's own method (RFC 7292 appendix B), with a limit for iterations.
import { hash, pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import { CryptoError } from '../crypto-error.ts';

/** Limits the cost of a file, which chooses its iteration counts. PKCS#12's own method counts ten times, because it runs on this thread. */
const MAX_ITERATIONS = 4_000_000;
const OWN_COST = 10;
const MAX_SALT_BYTES = 1024;
/** Iterations of PKCS#12's own method before other work gets a turn. */
const AT_A_TIME = 5000;

export type Pkcs12Hash = 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512';

const SIZES: Readonly<Record<Pkcs12Hash, { readonly bytes: number; readonly block: number }>> = {
  sha1: { bytes: 20, block: 64 },
  sha224: { bytes: 28, block: 64 },
  sha256: { bytes: 32, block: 64 },
  sha384: { bytes: 48, block: 128 },
  sha512: { bytes: 64, block: 128 },
};

export const hashBytes = (name: Pkcs12Hash): number => SIZES[name].bytes;

/** The purpose of the derived bytes. */
const PURPOSE = { key: 1, iv: 2, mac: 3 } as const;

interface Derivation {
  readonly hash: Pkcs12Hash;
  readonly salt: Uint8Array;
  readonly iterations: number;
  /** In bytes. */
  readonly length: number;
}

const slow = promisify(pbkdf2);
const pause = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The password for one file; make a new object for each file. */
export class Pkcs12Password {
  readonly #text: string;
  #left = MAX_ITERATIONS;
  /** Files encode an empty password in two ways: as no bytes, or as a terminator alone. The MAC shows which one a file uses. */
  #isNothing = false;

  constructor(text: string) {
    this.#text = text;
  }

  get mayBeNothing(): boolean {
    return this.#text === '' && !this.#isNothing;
  }

  /** Changes the encoding of the empty password from the terminator to no bytes. */
  takeAsNothing(): void {
    this.#isNothing = true;
  }

  /** @throws CryptoError invalid, before any work, if the file exceeds the limit for iterations */
  async pbkdf2({ hash: name, salt, iterations, length }: Derivation): Promise<Buffer> {
    this.#spend(iterations * Math.ceil(length / hashBytes(name)), iterations, salt);
    return slow(this.#text, salt, iterations, length, name);
  }

  /** @throws CryptoError as `pbkdf2` */
  async own(purpose: keyof typeof PURPOSE, { hash: name, salt, iterations, length }: Derivation): Promise<Buffer> {
    const { bytes, block } = SIZES[name];
    this.#spend(iterations * Math.ceil(length / bytes) * OWN_COST, iterations, salt);
    const diversifier = Buffer.alloc(block, PURPOSE[purpose]);
    const input = Buffer.concat([repeatToBlocks(salt, block), repeatToBlocks(this.#bmp(), block)]);
    const output: Buffer[] = [];
    for (let made = 0; made < length; made += bytes) {
      let digest: Buffer = hash(name, Buffer.concat([diversifier, input]), 'buffer');
      for (let i = 1; i < iterations; i++) {
        digest = hash(name, digest, 'buffer');
        if (i % AT_A_TIME === 0) await pause();
      }
      output.push(digest);
      for (let at = 0; at < input.length; at += block) addOne(input.subarray(at, at + block), repeatToBlocks(digest, block));
    }
    input.fill(0);
    return Buffer.concat(output).subarray(0, length);
  }

  #spend(cost: number, iterations: number, salt: Uint8Array): void {
    if (iterations < 1) throw new CryptoError('invalid', 'the PKCS#12 file has an iteration count below 1');
    if (salt.length > MAX_SALT_BYTES) throw new CryptoError('invalid', `the PKCS#12 file has a salt longer than ${MAX_SALT_BYTES} bytes`);
    this.#left -= cost;
    if (this.#left < 0)
      throw new CryptoError(
        'invalid',
        `the PKCS#12 file needs too many iterations: at most ${MAX_ITERATIONS} of PBKDF2 in total, or a tenth of that of its own derivation`,
      );
  }

  /** The password in UTF-16, big-endian, with its terminator. */
  #bmp(): Buffer {
    return this.#isNothing ? Buffer.alloc(0) : Buffer.from(`${this.#text}\0`, 'utf16le').swap16();
  }
}

function repeatToBlocks(bytes: Uint8Array, block: number): Buffer {
  const length = Math.ceil(bytes.length / block) * block;
  return length === 0 ? Buffer.alloc(0) : Buffer.alloc(length, bytes);
}

/** Sets `target` to target + added + 1, as big-endian numbers of the length of `target`. */
function addOne(target: Buffer, added: Buffer): void {
  let carry = 1;
  for (let at = target.length - 1; at >= 0; at--) {
    carry += (target[at] as number) + (added[at] as number);
    target[at] = carry & 0xff;
    carry >>= 8;
  }
}
