// What commands print: tables and lines for people, JSON for scripts, bytes for files and pipes.
import { openSync, rmSync, writeSync } from 'node:fs';
import { writeFailure } from '../kernel/disk/disk-trouble.ts';
import { CommandError, EXIT } from './exit.ts';
import { printable, printableJson, width } from './printable.ts';

export type Row = Readonly<Record<string, unknown>>;

export interface Output {
  /** `--json`: the answer of the server as it is. */
  readonly isJson: boolean;
  /** A list: a table with these columns, in this order. */
  table(rows: readonly Row[], columns: readonly string[]): void;
  /** One thing: a line for each member that has a value. */
  record(value: Row): void;
  /** What a command has done; left out with `--json`, where `value` is printed instead. */
  done(text: string, value?: unknown): void;
  /** A text for pipes, such as an identifier: alone on its line. */
  line(text: string): void;
}

export interface Sink {
  write(text: string): unknown;
}

const GAP = '  ';

export function createOutput(to: Sink, isJson: boolean): Output {
  const json = (value: unknown) => void to.write(`${printableJson(value)}\n`);
  return {
    isJson,
    table(rows, columns) {
      if (isJson) json(rows);
      else to.write(tableOf(rows, columns));
    },
    record(value) {
      if (isJson) return json(value);
      const members = Object.entries(value).filter(([, member]) => member !== undefined && member !== null);
      const widest = Math.max(0, ...members.map(([name]) => width(name)));
      for (const [name, member] of members) to.write(`${name.padEnd(widest)}${GAP}${cellOf(member)}\n`);
    },
    done(text, value) {
      if (!isJson) to.write(`${printable(text)}\n`);
      else if (value !== undefined) json(value);
    },
    line(text) {
      if (isJson) json(text);
      else to.write(`${printable(text)}\n`);
    },
  };
}

function tableOf(rows: readonly Row[], columns: readonly string[]): string {
  const cells = [columns.map((name) => name.toUpperCase().replaceAll('_', ' ')), ...rows.map((row) => columns.map((name) => cellOf(row[name])))];
  const widths = columns.map((_, at) => Math.max(...cells.map((row) => width(row[at] as string))));
  const line = (row: readonly string[]) => row.map((cell, at) => cell + ' '.repeat((widths[at] as number) - width(cell))).join(GAP);
  return cells.map((row) => `${line(row).trimEnd()}\n`).join('');
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return printable(value.join(', '));
  return printable(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

export const existsAlready = (path: string): CommandError => new CommandError(`${path} exists already`, EXIT.usage);

function open(path: string | undefined): number {
  if (path === undefined || path === '-') return 1;
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    throw writingFile(path, error);
  }
}

/** Writes bytes to a file that only its owner can read, or to standard output for `-` and no path. An existing file is not replaced, and half of one does not stay. */
export function writeBytes(path: string | undefined, bytes: Uint8Array): void {
  const file = open(path);
  try {
    writeAll(file, bytes);
  } catch (error) {
    throw file === 1 ? error : withoutFile(path as string, error);
  }
}

/** The same for what can be made and shown only once: the file is there before it is made, and is removed if it is not made. */
export async function writeMade<T>(path: string, make: () => Promise<T>, bytesOf: (made: T) => Uint8Array): Promise<T> {
  const file = open(path);
  try {
    const made = await make();
    writeAll(file, bytesOf(made));
    return made;
  } catch (error) {
    throw file === 1 ? error : withoutFile(path, error);
  }
}

/** Removes what was not written whole. */
function withoutFile(path: string, error: unknown): unknown {
  rmSync(path, { force: true });
  return writingFile(path, error);
}

/** @returns the error, which names the file that was asked for if it is one of writing it, and not the name it has until it is complete */
export function writingFile(path: string, error: unknown): unknown {
  const { code, path: named, syscall } = error as NodeJS.ErrnoException;
  const isOfFile = named?.startsWith(path) === true;
  const told = (named === undefined || isOfFile) && writeFailure({ ...(error as object), path }, path);
  if (told) return new CommandError(told);
  if (!isOfFile) return error;
  if (code === 'EEXIST') return existsAlready(path);
  return Object.assign(error as Error, { message: `${(error as Error).message.split(', ')[0]}, ${syscall} '${path}'` });
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeWaiting(file, bytes.subarray(at));
}

/** A pipe that is full refuses bytes until its reader has taken some. */
function writeWaiting(file: number, bytes: Uint8Array): number {
  try {
    return writeSync(file, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    return 0;
  }
}
