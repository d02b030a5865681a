// Derives keys with a pseudorandom function in counter, feedback and double-pipeline iteration mode (NIST SP 800-108).

interface Kbkdf {
  readonly prf: (message: Uint8Array) => Uint8Array;
  /** Length of one output of the PRF. */
  readonly prfBytes: number;
  /** Label || 0x00 || Context. */
  readonly fixed: Uint8Array;
  /** K(0) in feedback mode; empty by default. */
  readonly iv: Uint8Array | undefined;
  /** The number of bytes to derive. */
  readonly length: number;
}

/**
 * SP 800-108 leaves some choices open: here the counter i and the length L (in bits) have 32 bits each, and all modes use the counter.
 * @returns at least `length` bytes: only whole outputs of the PRF
 */
export function kbkdf(mode: 'counter' | 'feedback' | 'double pipeline', { prf, prfBytes, fixed, iv, length }: Kbkdf): Uint8Array {
  const input = Buffer.concat([fixed, uint32(length * 8)]);
  const outputs: Uint8Array[] = [];
  let chained: Uint8Array = mode === 'feedback' ? (iv ?? new Uint8Array()) : input;
  for (let i = 1; outputs.length * prfBytes < length; i++) {
    if (mode === 'double pipeline') chained = prf(chained);
    const output = prf(Buffer.concat(mode === 'counter' ? [uint32(i), input] : [chained, uint32(i), input]));
    if (mode === 'feedback') chained = output;
    outputs.push(output);
  }
  return Buffer.concat(outputs);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
