// Cuts long answers into slices, each sent after the previous one. TLS then copies one slice at a time, and progress is visible after each slice.

/** The amount that a socket accepts before it asks the writer to wait. */
export const SLICE_BYTES = 65_536;

/** Yields views, not copies. */
export function* slicesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += SLICE_BYTES) yield bytes.subarray(at, at + SLICE_BYTES);
}
