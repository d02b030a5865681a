// Long answers leave in slices, each when the one before has left: what TLS copies of them is one slice, and every slice is progress that can be seen.

/** As much as a socket takes before it asks to wait. */
export const SLICE_BYTES = 65_536;

/** @returns views, nothing is copied */
export function* slicesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += SLICE_BYTES) yield bytes.subarray(at, at + SLICE_BYTES);
}
