// Notices that a server starts with a clock that is behind: the time has passed that it had when it last ran.
import { readFile } from 'node:fs/promises';

/** What time servers correct by and by is far less, and so is what passes between two attempts. */
const DOUBTED_MS = 10_000;

/** The time at which it last ran, in the file that each attempt to write the data folder leaves. */
export class LastRun {
  readonly #path: string;
  readonly #wallMs: () => number;
  #first: Promise<number | undefined> | undefined;

  /** @param path of the file @param wallMs the clock of this machine */
  constructor(path: string, wallMs: () => number) {
    this.#path = path;
    this.#wallMs = wallMs;
  }

  /** What is to be written into the file. */
  content(): Uint8Array {
    const text = new Uint8Array(FILE_BYTES);
    Buffer.from(`${this.#wallMs()}\n`).copy(text);
    return text;
  }

  /**
   * To be called before the file is written. A clock that is set back while the server runs is told by another probe.
   * @returns the time that it must be at least, if the clock was behind at the first call; milliseconds since the epoch
   */
  async leastMs(): Promise<number | undefined> {
    this.#first ??= this.#beginOf();
    const begin = await this.#first;
    return begin === undefined ? undefined : begin + performance.now();
  }

  async #beginOf(): Promise<number | undefined> {
    const last = Number.parseInt(await readFile(this.#path, 'latin1').catch(() => ''), 10);
    return last - this.#wallMs() >= DOUBTED_MS ? last - performance.now() : undefined;
  }
}

/** As much as a full disk would not take. */
const FILE_BYTES = 4_096;
