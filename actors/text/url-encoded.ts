// Reads application/x-www-form-urlencoded (URL Standard, section 5.1) into bytes: a text has as many as were meant, however many its escapes took.

export interface Pair {
  readonly name: Buffer;
  readonly value: Buffer;
}

const [AMPERSAND, EQUALS, PLUS, PERCENT, SPACE] = [0x26, 0x3d, 0x2b, 0x25, 0x20];

/** In their order; one without `=` has an empty value, and nothing between two `&` is no pair. */
export function* pairsIn(body: Buffer): Generator<Pair, void> {
  for (let from = 0; from < body.length; ) {
    const next = body.indexOf(AMPERSAND, from);
    const pair = body.subarray(from, next < 0 ? body.length : next);
    from += pair.length + 1;
    const equals = pair.indexOf(EQUALS);
    if (pair.length > 0)
      yield equals < 0 ? { name: meant(pair), value: Buffer.of() } : { name: meant(pair.subarray(0, equals)), value: meant(pair.subarray(equals + 1)) };
  }
}

/** An escape that is none stays as it is. */
function meant(escaped: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(escaped.length);
  let length = 0;
  for (let at = 0; at < escaped.length; at++) {
    const byte = escaped[at] as number;
    const value = byte === PERCENT ? 16 * digit(escaped[at + 1]) + digit(escaped[at + 2]) : Number.NaN;
    if (Number.isNaN(value)) bytes[length++] = byte === PLUS ? SPACE : byte;
    else {
      bytes[length++] = value;
      at += 2;
    }
  }
  return bytes.subarray(0, length);
}

/** @returns NaN for what is no hexadecimal digit */
function digit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN;
}
