// Frees the memory of bytes that nobody needs any more, at once: a collection that would find them may be minutes away.

/** The bytes are gone afterwards, for every view of them. Bytes in a buffer that others share are left alone. */
export function giveBack({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength && byteLength > 0) buffer.transfer(0);
}
