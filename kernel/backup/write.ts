// Writes a backup file line by line through gzip. Under its final name the file is always complete.
import { createHash } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { diskTrouble } from '../disk/disk-trouble.ts';
import { makePrivate, removeLeft, renameDurably } from '../disk/private-file.ts';
import type { Snapshot } from '../store/snapshot.ts';
import { BackupError, type End, encodeRow, type Header, macOf, type Table } from './format.ts';
import { quote } from './schema.ts';

/** Lines are written in pieces of about this many characters. */
const PIECE = 65_536;

interface Contents {
  readonly header: Header;
  readonly tables: readonly Table[];
  readonly snapshot: Snapshot;
  /** The data key for authentication. */
  readonly dataKey: Uint8Array;
  readonly stop: AbortSignal | undefined;
}

/**
 * @param path of the new file; it gets mode 0600
 * @returns number of rows
 * @throws BackupError if the file exists or cannot be written
 */
export async function writeBackup(path: string, contents: Contents): Promise<number> {
  if (existsSync(path)) throw new BackupError(`${path} exists already, and a backup never replaces a file; name a new file`);
  if (contents.stop?.aborted) throw stopped();
  const partial = `${path}.partial`;
  let [rows, isOurs] = [0, false];
  try {
    const sink = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true });
    sink.on('open', makePrivate);
    sink.on('open', () => (isOurs = true));
    // A file that is still being opened could not be removed.
    const closed = new Promise<void>((resolve) => void sink.on('close', resolve));
    await pipeline(Readable.from(hashRows(contents, (count) => (rows = count))), createGzip(), sink, { signal: contents.stop }).finally(() => closed);
    renameDurably(partial, path);
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      throw new BackupError(
        `${partial} exists: another backup is writing it, or an earlier one was interrupted; wait for the other backup, or delete the file`,
      );
    // That of another backup stays.
    if (isOurs) removeLeft(partial);
    if (contents.stop?.aborted) throw stopped();
    const trouble = diskTrouble(error);
    if (trouble) throw new BackupError(`${path} cannot be written: ${trouble}`);
    if (syscall !== undefined && code !== undefined) throw new BackupError(`${path} cannot be written (${code})`);
    throw error;
  }
  return rows;
}

const stopped = () => new BackupError('the backup was stopped, and no file is left of it');

async function* hashRows(contents: Contents, done: (rows: number) => void): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let text = '';
  let rows = 0;
  for await (const { line, isRow } of linesOf(contents)) {
    if (isRow) rows += 1;
    text += line;
    if (text.length < PIECE) continue;
    const piece = Buffer.from(text);
    hash.update(piece);
    yield piece;
    text = '';
  }
  const sha256 = hash.update(text).digest('hex');
  const end: End = { end: true, rows, sha256, mac: macOf(contents.dataKey, sha256) };
  yield Buffer.from(`${text}${JSON.stringify(end)}\n`);
  done(rows);
}

async function* linesOf({ header, tables, snapshot }: Contents): AsyncGenerator<{ line: string; isRow: boolean }> {
  yield { line: `${JSON.stringify(header)}\n`, isRow: false };
  for (const { table, columns } of tables) {
    yield { line: `${JSON.stringify({ table, columns })}\n`, isRow: false };
    for await (const values of snapshot.rows({ table: quote(table), columns: columns.map(quote) })) yield { line: encodeRow(values), isRow: true };
  }
}
