// Checks values before they are sent to another thread, and marks byte arrays that are moved instead of copied.

const moved = new WeakSet<Uint8Array>();

/** Marks bytes, such as a secret, so that the next call or reply transfers them instead of copying. The sender's array is empty afterwards. */
export function move<T extends Uint8Array>(bytes: T): T {
  moved.add(bytes);
  return bytes;
}

/** @returns the bytes in a buffer of their own; copied only if they share one. The caller must not use `bytes` any more. */
export function toOwned(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? new Uint8Array(bytes.buffer as ArrayBuffer) : new Uint8Array(bytes);
}

/**
 * Checks a value before it is sent and returns the buffers to transfer. It refuses a view of a larger buffer, because the other thread would get
 * the whole buffer (for a small Buffer the 64 KiB pool).
 * @throws TypeError for a function, a symbol, or bytes that do not own their buffer
 */
export function inspectPayload(value: unknown, transfer: ArrayBuffer[] = [], depth = 0): ArrayBuffer[] {
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'function' || typeof value === 'symbol') throw new TypeError(`a ${typeof value} cannot cross a thread`);
    return transfer;
  }
  if (depth > 64) throw new TypeError('a value nested deeper than 64 cannot cross a thread');
  if (ArrayBuffer.isView(value)) {
    if (value.byteLength !== value.buffer.byteLength) throw new TypeError('bytes that cross a thread must own their buffer: copy them with new Uint8Array(x)');
    if (value instanceof Uint8Array && moved.has(value)) transfer.push(value.buffer as ArrayBuffer);
  } else if (Array.isArray(value)) {
    for (const item of value) inspectPayload(item, transfer, depth + 1);
  } else if (value instanceof Map) {
    for (const [key, item] of value) inspectPayload(item, inspectPayload(key, transfer, depth + 1), depth + 1);
  } else if (value instanceof Set) {
    for (const item of value) inspectPayload(item, transfer, depth + 1);
  } else if (isPlain(value)) {
    for (const key in value) inspectPayload((value as Record<string, unknown>)[key], transfer, depth + 1);
  }
  return transfer;
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
