// Bytes of files and pipes: read whole with a limit, or as a stream with its progress on the terminal.
import { createReadStream, createWriteStream, existsSync, fstatSync, linkSync, rmSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { progressOn } from '../actors/model/hub/progress.ts';
import { namingFile, removeLeft } from '../kernel/disk/private-file.ts';
import type { Surroundings } from './command.ts';
import { CommandError, EXIT } from './exit.ts';
import { existsAlready, writeBytes, writingFile } from './output.ts';
import { printable } from './printable.ts';

/** A body of /v1/crypto has at most 16 MiB, and base64url makes four characters of three bytes. */
const MAX_WHOLE_BYTES = 12_000_000;

type Streams = Pick<Surroundings, 'stdin' | 'stderr'>;

const isPipe = (path: string | undefined): path is undefined | '-' => path === undefined || path === '-';

const isFolder = (stream: NodeJS.ReadStream & { readonly fd?: number }): boolean => stream.fd !== undefined && fstatSync(stream.fd).isDirectory();

/** @param path `-` or nothing for standard input */
export async function* bytesOf(path: string | undefined, { stdin, stderr }: Streams): AsyncGenerator<Buffer> {
  const totalBytes = isPipe(path) ? 0 : statSync(path).size;
  // Node reads a folder there as nothing at all.
  if (isPipe(path) && isFolder(stdin)) throw new CommandError('standard input is a folder', EXIT.usage);
  const source: Readable = isPipe(path) ? stdin : createReadStream(path, { highWaterMark: 1_048_576 });
  const onProgress = stderr.isTTY === true && totalBytes > MAX_WHOLE_BYTES ? progressOn(stderr, () => performance.now()) : undefined;
  let bytes = 0;
  try {
    for await (const piece of source as AsyncIterable<Buffer>) {
      yield piece;
      bytes += piece.length;
      onProgress?.({ path: printable(path ?? ''), bytes, totalBytes, isDone: bytes === totalBytes });
    }
  } catch (error) {
    throw namingFile(isPipe(path) ? 'standard input' : path, error);
  }
}

/** @throws CommandError for more than a request may hold */
export async function wholeOf(path: string | undefined, streams: Streams): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of bytesOf(path, streams)) {
    parts.push(part);
    length += part.length;
    if (length > MAX_WHOLE_BYTES) throw new CommandError(`the input is larger than ${MAX_WHOLE_BYTES} bytes`, EXIT.refused);
  }
  return Buffer.concat(parts);
}

/**
 * Writes a stream to standard output, or to a new file of mode 0600 that appears only when it is complete.
 * @throws CommandError if the file exists
 */
export async function writeStream(path: string | undefined, source: AsyncIterable<Uint8Array>): Promise<void> {
  if (isPipe(path)) {
    // Unlike the stream of standard output, which ends the command with 0 when a reader of a list leaves, this fails if not everything was taken.
    for await (const bytes of source) writeBytes(undefined, bytes);
    return;
  }
  if (existsSync(path)) throw existsAlready(path);
  const unfinished = `${path}.unfinished-${process.pid}`;
  const stop = stopping(unfinished);
  try {
    await pipeline(source, createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true }));
    // Unlike a renaming, this never replaces a file that has appeared meanwhile.
    linkSync(unfinished, path);
    rmSync(unfinished, { force: true });
  } catch (error) {
    removeLeft(unfinished);
    throw writingFile(path, error);
  } finally {
    stop();
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What ends the command before the file is complete removes it: it may hold a part of what was secret. @returns how to let signals do what they did before */
function stopping(unfinished: string): () => void {
  const end = (signal: NodeJS.Signals) => {
    rmSync(unfinished, { force: true });
    letGo();
    process.kill(process.pid, signal);
  };
  const letGo = () => {
    for (const signal of SIGNALS) process.off(signal, end);
  };
  for (const signal of SIGNALS) process.on(signal, end);
  return letGo;
}
