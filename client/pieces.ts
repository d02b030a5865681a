// Cuts a stream of bytes into pieces of exact sizes and says which one is the last, with one piece in memory.

export interface Piece {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isLast: boolean;
}

/**
 * @param sizeOf size in bytes of the piece with this number
 * @returns at least one piece; only the last one is shorter, and it is empty only if the stream is
 */
export async function* pieces(source: AsyncIterable<Uint8Array>, sizeOf: (index: number) => number): AsyncGenerator<Piece> {
  let index = 0;
  let piece = new Uint8Array(sizeOf(index));
  let filled = 0;
  for await (let bytes of source) {
    while (bytes.length > 0) {
      // A full piece waits until something follows: only then it is not the last one.
      if (filled === piece.length) {
        yield { bytes: piece, isLast: false };
        piece = new Uint8Array(sizeOf(++index));
        filled = 0;
      }
      const taken = bytes.subarray(0, piece.length - filled);
      piece.set(taken, filled);
      filled += taken.length;
      bytes = bytes.subarray(taken.length);
    }
  }
  yield { bytes: piece.subarray(0, filled), isLast: true };
}
