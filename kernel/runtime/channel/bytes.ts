// Checks values before they are sent to another thread, and marks byte arrays that are moved instead of copied.

class Given {
  constructor(bytes: object) {
    // biome-ignore lint/correctness/noConstructorReturn: the field of the class below is added to what this returns.
    return bytes;
  }
}

/** Marks bytes by a private field, which nobody else sees. A set of marked bytes would take eight times as long, and the garbage collector has to clear it. */
class Moved extends Given {
  readonly #isMoved = true;

  static has(bytes: Uint8Array): boolean {
    return #isMoved in bytes;
  }
}

/** Marks bytes, such as a secret, so that the next call or reply transfers them instead of copying. The sender's array is empty afterwards. */
export function move<T extends Uint8Array>(bytes: T): T {
  if (!Moved.has(bytes)) new Moved(bytes);
  return bytes;
}

/** From here on, moving costs less than copying. Below it, a buffer to transfer costs more than its bytes. */
const LARGE_BYTES = 65_536;

/** Moves large bytes, which would otherwise be held three times: here, in the message and there. Nobody may use `bytes` after the call or reply. */
export function moveLarge<T extends Uint8Array>(bytes: T): T {
  return bytes.byteLength < LARGE_BYTES ? bytes : move(bytes);
}

/** @returns the bytes in a buffer of their own; copied only if they share one. The caller must not use `bytes` any more. */
export function toOwned(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? new Uint8Array(bytes.buffer as ArrayBuffer) : new Uint8Array(bytes);
}

/** Moved bytes that share a buffer are copied when they cross, because many calls do not: a part of the actor beside its callers answers them. */
export function ownMoved(args: readonly unknown[]): readonly unknown[] {
  return args.map((each) => (each instanceof Uint8Array && Moved.has(each) ? move(toOwned(each)) : each));
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
    if (value instanceof Uint8Array && Moved.has(value)) transfer.push(value.buffer as ArrayBuffer);
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

/** Bytes as a text of one character each. A message with a few short texts costs a third of one with as many arrays. */
export function textOfBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** @returns the bytes of such a text, in a buffer of their own */
export function bytesOfText(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'latin1'));
}
