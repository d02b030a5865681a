// Reads a backup file and reports what is wrong with it. Its rows are trustworthy only after the whole file was read and checked.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { SqlValue } from '../store/store.ts';
import { BackupError, decodeRow, type End, FORMAT, FORMAT_VERSION, type Header, type Table } from './format.ts';

export interface Take {
  /** Called first, once. It throws if the header is not acceptable. */
  header?(header: Header): void;
  /** Called before the rows of the table. */
  table?(table: Table): Promise<void> | undefined;
  row(table: Table, values: SqlValue[]): Promise<void> | undefined;
}

const LINE_FEED = 0x0a;
/** What zlib says of a file that does not begin as one of gzip. */
const NO_GZIP = 'incorrect header check';
/** Longer than any row: a body has at most 64 MiB, which are 86 MiB in base64. */
const MAX_LINE_BYTES = 268_435_456;

/** @throws BackupError if the file cannot be read, is not a backup, has another format version, is incomplete or was changed; and whatever `take` throws */
export async function readBackup(path: string, take: Take): Promise<End> {
  const reading = new Reading(path, take);
  const unpacked = createGunzip();
  const piped = pipeline(createReadStream(path), unpacked);
  // The lines tell of its failure too, but only once what is done with those before has ended.
  piped.catch(() => {});
  try {
    for await (const lines of batches(unpacked as AsyncIterable<Buffer>, path)) for (const line of lines) await reading.line(line);
    await piped;
  } catch (error) {
    throw inWords(error, path, reading.hasBegun);
  }
  if (!reading.end) throw new BackupError(`${path} is incomplete: its end is missing; use another copy of the backup`);
  return reading.end;
}

/** Yields the complete lines of each piece of the stream, including their line feeds. */
async function* batches(pieces: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer[]> {
  let rest: Buffer[] = [];
  let waiting = 0;
  for await (const piece of pieces) {
    const lines: Buffer[] = [];
    let from = 0;
    for (let at = piece.indexOf(LINE_FEED); at !== -1; at = piece.indexOf(LINE_FEED, from)) {
      const tail = piece.subarray(from, at + 1);
      lines.push(rest.length === 0 ? tail : Buffer.concat([...rest, tail]));
      rest = [];
      waiting = 0;
      from = at + 1;
    }
    if (from < piece.length) rest.push(piece.subarray(from));
    waiting += piece.length - from;
    if (waiting > MAX_LINE_BYTES) throw damagedFile(path);
    yield lines;
  }
  if (waiting > 0) throw new BackupError(`${path} is incomplete: it ends within a line; use another copy of the backup`);
}

class Reading {
  readonly #path: string;
  readonly #take: Take;
  readonly #hash = createHash('sha256');
  #table: Table | undefined;
  #rows = 0;
  hasBegun = false;
  end: End | undefined;

  constructor(path: string, take: Take) {
    this.#path = path;
    this.#take = take;
  }

  line(bytes: Buffer): Promise<void> | undefined {
    const value = this.#parse(bytes);
    if (this.end) throw damagedFile(this.#path);
    if (!this.hasBegun) this.#begin(value as Header | null);
    else if (Array.isArray(value)) {
      const values = decodeRow(value);
      if (!values || !this.#table || values.length !== this.#table.columns.length) throw damagedFile(this.#path);
      this.#rows += 1;
      this.#hash.update(bytes);
      return this.#take.row(this.#table, values);
    } else if (isTable(value)) {
      this.#table = value;
      this.#hash.update(bytes);
      return this.#take.table?.(value);
    } else return this.#finish(value as End | null);
    this.#hash.update(bytes);
    return undefined;
  }

  #parse(bytes: Buffer): unknown {
    try {
      return JSON.parse(bytes.toString('utf8'));
    } catch {
      throw this.hasBegun ? damagedFile(this.#path) : foreign(this.#path);
    }
  }

  #begin(header: Header | null): void {
    if (header?.format !== FORMAT) throw foreign(this.#path);
    const { version, server, root_key: rootKey, migrations } = header;
    if (version !== FORMAT_VERSION)
      throw new BackupError(
        `${this.#path} has format ${version} of gatehouse ${server}, but this version reads format ${FORMAT_VERSION}; restore it with gatehouse ${server}`,
      );
    if (typeof rootKey !== 'string' || typeof migrations !== 'object' || migrations === null) throw damagedFile(this.#path);
    this.hasBegun = true;
    this.#take.header?.(header);
  }

  #finish(end: End | null): undefined {
    const sha256 = this.#hash.digest('hex');
    if (end?.end !== true || end.sha256 !== sha256 || end.rows !== this.#rows || typeof end.mac !== 'string') throw damagedFile(this.#path);
    this.end = end;
  }
}

function isTable(value: unknown): value is Table {
  const { table, columns } = (value ?? {}) as Partial<Table>;
  return typeof table === 'string' && Array.isArray(columns) && columns.every((column) => typeof column === 'string');
}

function damagedFile(path: string): BackupError {
  return new BackupError(`${path} is damaged: its contents have changed since it was written; use another copy of the backup`);
}

function foreign(path: string): BackupError {
  return new BackupError(`${path} is not a backup of gatehouse`);
}

function inWords(error: unknown, path: string, hasBegun: boolean): unknown {
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (code === 'Z_BUF_ERROR') return new BackupError(`${path} is incomplete: it ends too early; use another copy of the backup`);
  // A small file is one piece of gzip, whose damage hides its first line too. Without the mark of gzip it is another file.
  if (code?.startsWith('Z_')) return hasBegun || message !== NO_GZIP ? damagedFile(path) : foreign(path);
  return syscall === undefined || code === undefined ? error : new BackupError(`${path} cannot be read (${code})`);
}
