// Generates random bytes: initialization vectors from a pool, and a generator that clients may seed.
import { createHash, createHmac, randomBytes, randomFillSync } from 'node:crypto';

const POOL_BYTES = 4096;
const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

/** Use only for values that become public. One call of the system's generator is enough for hundreds of them. */
export function randomIv(bytes: number): Uint8Array {
  if (bytes > POOL_BYTES) return randomBytes(bytes);
  if (used + bytes > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const iv = Uint8Array.prototype.slice.call(pool, used, used + bytes);
  used += bytes;
  return iv;
}

/**
 * The system's generator with the clients' seeds mixed in: output = system bytes XOR HMAC-SHA-512(seeds, counter). The output is
 * as good as that of the system's generator, whatever the seeds are, even if a client knows all of them.
 */
export class SeededRandom {
  #seeds: Uint8Array | undefined;
  #counter = 0n;

  /** @returns the number of bytes used, which is always all of them */
  seed(data: Uint8Array): number {
    const hash = createHash('sha512');
    if (this.#seeds) hash.update(this.#seeds);
    this.#seeds = hash.update(data).digest();
    return data.length;
  }

  bytes(length: number): Uint8Array {
    const output = randomBytes(length);
    if (!this.#seeds) return output;
    for (let at = 0; at < length; ) {
      const block = createHmac('sha512', this.#seeds)
        .update(String(this.#counter++))
        .digest();
      for (let i = 0; i < block.length && at < length; i++, at++) output[at] = (output[at] as number) ^ (block[i] as number);
    }
    return output;
  }
}
