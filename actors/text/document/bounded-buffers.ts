// Bounds the buffers that a reader of pdf files makes: a small file may unpack to gigabytes, which the limit of a thread's heap does not count.

/** In bytes: pages, fonts and maps of characters are smaller; images are not unpacked. */
const MAX_BUFFER_BYTES = 64 * 2 ** 20;

/** Of the larger buffers that are made for one page: the same contents may be named again and again. */
const MAX_PAGE_BYTES = 256 * 2 ** 20;
/** Smaller ones are not counted. */
const LARGE_BYTES = 2 ** 20;

export interface Bounds {
  /** Whether a buffer was too large: the reader may have gone on without. */
  readonly isExceeded: boolean;
  /** Begins a page: what was made for others is free. */
  nextPage(): void;
}

type Bounded = { Uint8Array: unknown; DecompressionStream: unknown };

/** One at a time in a thread: the constructors are those of all its code. */
let last: Promise<unknown> = Promise.resolve();

/** @param least bytes that a buffer may have in any case */
export function withBoundedBuffers<T>(least: number, work: (bounds: Bounds) => Promise<T>): Promise<T> {
  const turn = last.then(() => bounded(Math.max(least, MAX_BUFFER_BYTES), work));
  last = turn.catch(() => {});
  return turn;
}

async function bounded<T>(most: number, work: (bounds: Bounds) => Promise<T>): Promise<T> {
  let made = 0;
  const bounds = {
    isExceeded: false,
    nextPage() {
      made = 0;
    },
  };
  const take = (bytes: number, isWhole: boolean) => {
    if (!isWhole || bytes >= LARGE_BYTES) made += bytes;
    if (bytes <= most && made <= most + MAX_PAGE_BYTES) return;
    bounds.isExceeded = true;
    throw new RangeError('the buffer would be too large');
  };
  const own: Bounded = { Uint8Array, DecompressionStream };
  const replaced: Bounded = { Uint8Array: boundedArray(take), DecompressionStream: boundedStream(take) };
  Object.assign(globalThis, replaced);
  try {
    return await work(bounds);
  } finally {
    Object.assign(globalThis, own);
  }
}

type Take = (bytes: number, isWhole: boolean) => void;

/** Filters of all kinds write into one array, which they double again and again. */
function boundedArray(take: Take): unknown {
  return new Proxy(Uint8Array, {
    construct(target, given: unknown[], newTarget) {
      if (typeof given[0] === 'number') take(given[0], true);
      return Reflect.construct(target, given, newTarget) as object;
    },
  });
}

/** What it makes is collected in pieces first. */
function boundedStream(take: Take): unknown {
  const Native = DecompressionStream;
  return class {
    readonly readable: ReadableStream<Uint8Array>;
    readonly writable: WritableStream;

    constructor(format: ConstructorParameters<typeof DecompressionStream>[0]) {
      const { readable, writable } = new Native(format);
      const count = new TransformStream<Uint8Array, Uint8Array>({
        transform(piece, controller) {
          take(piece.byteLength, false);
          controller.enqueue(piece);
        },
      });
      this.readable = readable.pipeThrough(count);
      this.writable = writable;
    }
  };
}
