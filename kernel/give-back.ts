// Frees the memory of bytes that are no longer needed at once, because the next garbage collection may be minutes away.

/** Afterwards the bytes are gone, for every view of them. It does nothing if the buffer holds other bytes too. */
export function giveBack({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength && byteLength > 0) buffer.transfer(0);
}
