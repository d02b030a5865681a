// Reads a form: multipart/form-data (RFC 7578) or application/x-www-form-urlencoded.
import { isUtf8 } from 'node:buffer';
import { Busboy } from '@fastify/busboy';
import { Fault } from '../../kernel/fault.ts';
import type { Form, FormLimits } from './api.ts';
import { refuse } from './refuse.ts';

const KINDS = /^(multipart\/form-data|application\/x-www-form-urlencoded)[ \t]*(;|$)/i;
const MAX_PARTS = 32;
const MAX_NAME_BYTES = 256;
const REPLACEMENT = '\ufffd';

type Read = { readonly name: string; readonly bytes: Uint8Array };

/**
 * A text may come as a file too, as `curl -F doc=@text.txt` sends it.
 * @throws Fault BAD_REQUEST, PAYLOAD_TOO_LARGE
 */
export async function readForm(contentType: string, body: Uint8Array, limits: FormLimits): Promise<Form> {
  const form = await parse(contentType, body, limits, 'utf8');
  if (Object.values(form.fields).some((text) => text.includes(REPLACEMENT))) await refuseReplaced(contentType, body, limits, form);
  return form;
}

/**
 * The library replaces bytes that are no UTF-8, and a text may have the sign itself. Read as Latin-1, a text without a charset of its own is its bytes.
 * @throws Fault BAD_REQUEST
 */
async function refuseReplaced(contentType: string, body: Uint8Array, limits: FormLimits, { fields }: Form): Promise<void> {
  const { fields: bytes } = await parse(contentType, body, limits, 'latin1');
  for (const [name, text] of Object.entries(fields)) {
    const sent = bytes[name] ?? '';
    if (sent !== text && !isUtf8(Buffer.from(sent, 'latin1'))) throw refuse(`${name}: the text is not UTF-8`);
  }
}

function parse(contentType: string, body: Uint8Array, form: FormLimits, defCharset: 'utf8' | 'latin1'): Promise<Form> {
  if (!KINDS.test(contentType)) return Promise.reject(refuse('the content type must be multipart/form-data or application/x-www-form-urlencoded'));
  const { maxFieldBytes } = form;
  return new Promise((resolve, reject) => {
    const fields: Record<string, string> = Object.create(null) as Record<string, string>;
    let file: Read | undefined;
    const limits = { fieldNameSize: MAX_NAME_BYTES, fieldSize: maxFieldBytes, parts: MAX_PARTS, fields: MAX_PARTS, files: MAX_PARTS };
    const parser = open(contentType, { limits, defCharset }, reject);
    if (!parser) return;
    const take = (name: string, text: string | undefined) => {
      const wrong = problemWith(name, text, form) ?? (name in fields ? `${name}: the form has this field twice` : undefined);
      if (wrong !== undefined) return reject(refuse(wrong));
      fields[name] = text ?? '';
    };
    const tooLong = (name: string) =>
      reject(new Fault('PAYLOAD_TOO_LARGE', { detail: `${shorten(name)}: a field of this form has at most ${maxFieldBytes} bytes` }));
    // The library passes undefined for a part without a name, whatever its types say.
    parser.on('field', (name = '', text, isNameCut, isCut) => (isCut || isNameCut ? tooLong(name) : take(name, text)));
    parser.on('file', (name = '', stream, given) => {
      const chunks: Buffer[] = [];
      let length = 0;
      stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (name !== form.file && length > maxFieldBytes) tooLong(name);
      });
      stream.on('end', () => {
        if (name !== form.file) return take(name, textIn(Buffer.concat(chunks)));
        if (file) return reject(refuse(`${name}: the form has this file twice`));
        file = { name: given ?? '', bytes: owned(chunks, length) };
      });
    });
    for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) parser.on(limit, () => reject(refuse(`a form has at most ${MAX_PARTS} parts`)));
    parser.on('error', (cause) => reject(refuse('the form is malformed', cause)));
    parser.on('finish', () => resolve({ fields: { ...fields }, ...(file && { file }) }));
    parser.end(Buffer.from(body.buffer as ArrayBuffer, body.byteOffset, body.byteLength));
  });
}

/** @param text undefined for a file that holds none @returns undefined if the form has this field, and nothing is wrong with it */
function problemWith(name: string, text: string | undefined, { fields, file }: FormLimits): string | undefined {
  if (name === '') return 'a part of the form has no name';
  if (name === file) return `${name}: must be sent as a file, with a filename`;
  if (!fields.includes(name)) return `${shorten(name)}: unknown form field; this form has ${[...fields, ...(file ? [file] : [])].join(', ')}`;
  return text === undefined ? `${name}: the file is not text in UTF-8, or in UTF-16 with a byte order mark` : undefined;
}

/** The library throws for a content type without a boundary. */
function open(contentType: string, options: object, reject: (fault: Fault) => void) {
  try {
    return new Busboy({ headers: { 'content-type': contentType }, ...options });
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
