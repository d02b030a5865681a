// Reads a form: multipart/form-data (RFC 7578) or application/x-www-form-urlencoded.
import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { Busboy } from '@fastify/busboy';
import { Fault } from '../../kernel/fault.ts';
import type { Form, FormLimits } from './api.ts';
import { refuse } from './refuse.ts';
import { pairsIn } from './url-encoded.ts';

const KINDS = /^(multipart\/form-data|application\/x-www-form-urlencoded)[ \t]*(;|$)/i;
const CHARSET = /;[ \t]*charset="?([^";\s]+)/i;
const MAX_PARTS = 32;
/** The replacement character of the library, and control characters that no text has: the library reads windows-1252 as ISO 8859-1, so its quotation marks become these. */
const DOUBTFUL = /[\ufffd\u0080-\u009f]/;
const NO_TEXT = 'the file is not text in UTF-8, or in UTF-16 with a byte order mark';

type Fields = Record<string, string>;
type Read = { readonly name: string; readonly bytes: Uint8Array };

/**
 * A text may come as a file too, as `curl -F doc=@text.txt` sends it.
 * @throws Fault BAD_REQUEST, PAYLOAD_TOO_LARGE
 */
export async function readForm(contentType: string, body: Uint8Array, limits: FormLimits): Promise<Form> {
  const [, kind] = KINDS.exec(contentType) ?? [];
  if (kind === undefined) throw refuse('the content type must be multipart/form-data or application/x-www-form-urlencoded');
  const bytes = Buffer.from(body.buffer as ArrayBuffer, body.byteOffset, body.byteLength);
  if (kind.toLowerCase() !== 'multipart/form-data') return readPairs(contentType, bytes, limits);
  const doubtful: string[] = [];
  const form = await readParts(contentType, bytes, limits, doubtful);
  if (doubtful.length > 0) await refuseReplaced(contentType, bytes, doubtful);
  return form;
}

function readPairs(contentType: string, body: Buffer, limits: FormLimits): Form {
  const decoder = decoderOf(CHARSET.exec(contentType)?.[1] ?? 'utf-8');
  const fields: Fields = Object.create(null) as Fields;
  let count = 0;
  for (const { name: given, value } of pairsIn(body)) {
    if (++count > MAX_PARTS) throw tooMany();
    const name = given.toString();
    if (value.length > limits.maxFieldBytes) throw tooLong(name, limits);
    requireField(name, fields, limits);
    fields[name] = decoded(decoder, name, value);
  }
  return { fields: { ...fields } };
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM: true });
  } catch (cause) {
    throw refuse(`the charset ${shorten(charset)} of the form is unknown`, cause);
  }
}

function decoded(decoder: TextDecoder, name: string, bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw refuse(`${name}: the text is not ${decoder.encoding.toUpperCase()}`, cause);
  }
}

/**
 * The library replaces what is no UTF-8, reads charsets that it does not know as UTF-8, and does not tell them. A text may have such a sign itself.
 * @param names of texts that have one @throws Fault BAD_REQUEST
 */
function refuseReplaced(contentType: string, body: Buffer, names: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const parser = new Busboy({ headers: { 'content-type': contentType }, isPartAFile: () => true });
    parser.on('file', (name, stream) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => void chunks.push(chunk));
      stream.on('end', () => names.includes(name) && !isUtf8(Buffer.concat(chunks)) && reject(refuse(`${name}: the text is not UTF-8`)));
    });
    parser.on('finish', resolve);
    parser.end(body);
  });
}

/** @param doubtful gets the names of texts that may have been read in a wrong charset */
function readParts(contentType: string, body: Buffer, form: FormLimits, doubtful: string[]): Promise<Form> {
  return new Promise((resolve, reject) => {
    const fields: Fields = Object.create(null) as Fields;
    let file: Read | undefined;
    const parser = open(contentType, { fieldSize: form.maxFieldBytes, parts: MAX_PARTS, fields: MAX_PARTS, files: MAX_PARTS }, reject);
    if (!parser) return;
    const malformed = (cause: unknown) => reject(refuse('the form is malformed', cause));
    const take = (name: string, text: string | undefined) => {
      const wrong = problemWith(name, fields, form) ?? (text === undefined ? `${name}: ${NO_TEXT}` : undefined);
      if (wrong !== undefined) return reject(refuse(wrong));
      fields[name] = text ?? '';
    };
    // The library passes undefined for a part without a name, whatever its types say.
    parser.on('field', (name = '', text, _, isCut) => {
      if (isCut) return reject(tooLong(name, form));
      if (DOUBTFUL.test(text)) doubtful.push(name);
      take(name, text);
    });
    parser.on('file', (name = '', stream, given) => {
      const chunks: Buffer[] = [];
      let length = 0;
      stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (name !== form.file && length > form.maxFieldBytes) reject(tooLong(name, form));
      });
      stream.on('end', () => {
        if (name !== form.file) return take(name, textIn(Buffer.concat(chunks)));
        if (file) return reject(refuse(`${name}: the form has this file twice`));
        file = { name: given ?? '', bytes: owned(chunks, length) };
      });
      // A body that ends within a file is an error of the file too.
      stream.on('error', malformed);
    });
    for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) parser.on(limit, () => reject(tooMany()));
    parser.on('error', malformed);
    parser.on('finish', () => resolve({ fields: { ...fields }, ...(file && { file }) }));
    parser.end(body);
  });
}

const tooMany = () => refuse(`a form has at most ${MAX_PARTS} parts`);

function tooLong(name: string, { maxFieldBytes }: FormLimits): Fault {
  return new Fault('PAYLOAD_TOO_LARGE', { detail: `${shorten(name)}: a field of this form has at most ${maxFieldBytes} bytes` });
}

function requireField(name: string, fields: Fields, form: FormLimits): void {
  const wrong = problemWith(name, fields, form);
  if (wrong !== undefined) throw refuse(wrong);
}

/** @returns undefined if the form has this field, and had it not yet */
function problemWith(name: string, read: Fields, { fields, file }: FormLimits): string | undefined {
  if (name === '') return 'a part of the form has no name';
  if (name === file) return `${name}: must be sent as a file, with a filename`;
  if (!fields.includes(name)) return `${shorten(name)}: unknown form field; this form has ${[...fields, ...(file ? [file] : [])].join(', ')}`;
  return name in read ? `${name}: the form has this field twice` : undefined;
}

/** The library throws for a content type without a boundary. */
function open(contentType: string, limits: object, reject: (fault: Fault) => void) {
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits });
  } catch (cause) {
    reject(refuse('the content type of a multipart form must have a boundary', cause));
    return undefined;
  }
}

/** In a buffer of its own, because it moves to another thread. */
function owned(chunks: readonly Buffer[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

function shorten(name: string): string {
  return name.length > 64 ? `${name.slice(0, 64)}...` : name;
}

const isUtf16 = ([first, second]: Uint8Array): boolean => (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);

/** Windows writes UTF-16 with a byte order mark. @returns undefined for what is not text; replaced characters would be a loss that nobody notices */
function textIn(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(isUtf16(bytes) ? (bytes[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
