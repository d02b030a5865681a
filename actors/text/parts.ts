// Reads the parts of a multipart form (RFC 7578): their bytes, and the charsets that they name.
import { MIMEType } from 'node:util';
import { Busboy, Dicer } from '@fastify/busboy';
import { refuse } from './refuse.ts';

export interface Part {
  /** Empty if it has none. */
  readonly name: string;
  /** In a buffer of its own, because that of a file moves to another thread. */
  readonly bytes: Uint8Array;
  readonly charset?: string | undefined;
  /** Of a file; empty if the client gives none. */
  readonly fileName?: string | undefined;
}

interface Read {
  readonly name: string;
  readonly fileName: string | undefined;
  readonly chunks: Buffer[];
}

/** Those that change nothing. Others are no longer used in forms (RFC 7578 section 4.7), and the library does not undo them. */
const TRANSFERS: ReadonlySet<string> = new Set(['7bit', '8bit', 'binary']);

/** @param most parts that the form may have @throws Fault BAD_REQUEST */
export async function partsIn(contentType: string, body: Buffer, most: number): Promise<Part[]> {
  const parts = await readParts(contentType, body, most);
  const charsets = await charsetsIn(contentType, body);
  // The library passes over a part that has no disposition, or another than of a form.
  if (parts.length !== charsets.length) throw refuse('a part of the form has no name');
  return parts.map(({ name, fileName, chunks }, index) => ({ name, fileName, bytes: owned(chunks), charset: charsets[index] }));
}

/** As files, because the library gives the bytes of these only: of a text it replaces what is no UTF-8, without a word. */
function readParts(contentType: string, body: Buffer, most: number): Promise<Read[]> {
  return new Promise((resolve, reject) => {
    const parts: Read[] = [];
    const parser = open(contentType, most, reject);
    if (!parser) return;
    const malformed = (cause: unknown) => reject(refuse('the form is malformed', cause));
    // The library passes undefined for a part without a name, whatever its types say.
    parser.on('file', (name = '', stream, given: string | undefined, transfer, type) => {
      if (!TRANSFERS.has(transfer.trim()))
        reject(refuse(`${shorten(name)}: the transfer encoding ${shorten(transfer)} is not read in a form; send the bytes as they are`));
      const part: Read = { name, fileName: given ?? (type === 'application/octet-stream' ? '' : undefined), chunks: [] };
      parts.push(part);
      stream.on('data', (chunk: Buffer) => void part.chunks.push(chunk));
      // A body that ends within a file is an error of the file too.
      stream.on('error', malformed);
    });
    parser.on('partsLimit', () => reject(tooMany(most)));
    parser.on('error', malformed);
    parser.on('finish', () => resolve(parts));
    parser.end(body);
  });
}

export const tooMany = (most: number) => refuse(`a form has at most ${most} parts`);

/** The library throws for a content type without a boundary. */
function open(contentType: string, parts: number, reject: (fault: unknown) => void) {
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits: { parts }, isPartAFile: () => true });
  } catch (cause) {
    reject(refuse('the content type of a multipart form must have a boundary', cause));
    return undefined;
  }
}

/** Of each part in its order, from the headers: the part of the library that reads whole forms does not tell them. */
function charsetsIn(contentType: string, body: Buffer): Promise<(string | undefined)[]> {
  return new Promise((resolve, reject) => {
    const charsets: (string | undefined)[] = [];
    const parser = new Dicer({ boundary: parameter(contentType, 'boundary') ?? '' });
    const malformed = (cause: unknown) => reject(refuse('the form is malformed', cause));
    parser.on('part', (part) => {
      part.on('header', (header: Record<string, string[]>) => void charsets.push(parameter(header['content-type']?.[0] ?? '', 'charset')));
      part.on('error', malformed);
      part.resume();
    });
    parser.on('error', malformed);
    parser.on('finish', () => resolve(charsets));
    parser.end(body);
  });
}

function parameter(contentType: string, name: string): string | undefined {
  try {
    return new MIMEType(contentType).params.get(name) ?? undefined;
  } catch {
    return undefined;
  }
}

function owned(chunks: readonly Buffer[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** Of a name that a client gives, what a message has room for. */
export function shorten(name: string): string {
  return name.length > 64 ? `${name.slice(0, 64)}...` : name;
}
