// Reads a form: multipart/form-data (RFC 7578) or application/x-www-form-urlencoded.
import { Busboy } from '@fastify/busboy';
import { Fault } from '../../kernel/fault.ts';
import type { Form, FormLimits } from './api.ts';
import { refuse } from './refuse.ts';

const KINDS = /^(multipart\/form-data|application\/x-www-form-urlencoded)[ \t]*(;|$)/i;
const MAX_PARTS = 32;
const MAX_NAME_BYTES = 256;

type Read = { readonly name: string; readonly bytes: Uint8Array };

/**
 * A text may come as a file too, as `curl -F doc=@text.txt` sends it.
 * @throws Fault BAD_REQUEST, PAYLOAD_TOO_LARGE
 */
export function readForm(contentType: string, body: Uint8Array, { fields: names, file: fileName, maxFieldBytes }: FormLimits): Promise<Form> {
  if (!KINDS.test(contentType)) return Promise.reject(refuse('the content type must be multipart/form-data or application/x-www-form-urlencoded'));
  return new Promise((resolve, reject) => {
    const fields: Record<string, string> = Object.create(null) as Record<string, string>;
    let file: Read | undefined;
    const limits = { fieldNameSize: MAX_NAME_BYTES, fieldSize: maxFieldBytes, parts: MAX_PARTS, fields: MAX_PARTS, files: MAX_PARTS };
    const parser = open(contentType, limits, reject);
    if (!parser) return;
    const take = (name: string, text: string) => {
      if (!names.includes(name))
        return reject(refuse(`${shorten(name)}: unknown form field; this form has ${[...names, ...(fileName ? [fileName] : [])].join(', ')}`));
      if (name in fields) return reject(refuse(`${name}: the form has this field twice`));
      fields[name] = text;
    };
    const tooLong = (name: string) =>
      reject(new Fault('PAYLOAD_TOO_LARGE', { detail: `${shorten(name)}: a field of this form has at most ${maxFieldBytes} bytes` }));
    parser.on('field', (name, text, isNameCut, isCut) => (isCut || isNameCut ? tooLong(name) : take(name, text)));
    parser.on('file', (name, stream, given) => {
      const chunks: Buffer[] = [];
      let length = 0;
      stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (name !== fileName && length > maxFieldBytes) tooLong(name);
      });
      stream.on('end', () => {
        if (name !== fileName) return take(name, Buffer.concat(chunks).toString('utf8'));
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
