// Reads a form: multipart/form-data (RFC 7578) or application/x-www-form-urlencoded.
import { TextDecoder } from 'node:util';
import { Fault } from '../../kernel/fault.ts';
import type { Form, FormLimits } from './api.ts';
import { type Part, partsIn, shorten, tooMany } from './parts.ts';
import { refuse } from './refuse.ts';
import { pairsIn } from './url-encoded.ts';

const KINDS = /^(multipart\/form-data|application\/x-www-form-urlencoded)[ \t]*(;|$)/i;
const CHARSET = /;[ \t]*charset="?([^";\s]+)/i;
const MAX_PARTS = 32;
/** A field of any form: the charset of the texts that name none themselves (RFC 7578 section 4.6). Browsers fill it in. */
const DEFAULT_CHARSET = '_charset_';
const NO_TEXT = 'the file is not text in UTF-8, or in UTF-16 with a byte order mark';

type Fields = Record<string, string>;

/**
 * A text may come as a file too, as `curl -F doc=@text.txt` sends it.
 * @throws Fault BAD_REQUEST, PAYLOAD_TOO_LARGE
 */
export async function readForm(contentType: string, body: Uint8Array, limits: FormLimits): Promise<Form> {
  const [, kind] = KINDS.exec(contentType) ?? [];
  if (kind === undefined) throw refuse('the content type must be multipart/form-data or application/x-www-form-urlencoded');
  const bytes = Buffer.from(body.buffer as ArrayBuffer, body.byteOffset, body.byteLength);
  const isMultipart = kind.toLowerCase() === 'multipart/form-data';
  const parts = isMultipart ? await partsIn(contentType, bytes, MAX_PARTS) : pairs(bytes);
  const fields = parts.filter(({ name }) => name !== DEFAULT_CHARSET);
  return formOf(fields, (isMultipart ? undefined : CHARSET.exec(contentType)?.[1]) ?? defaultCharset(parts), limits);
}

function defaultCharset(parts: readonly Part[]): string | undefined {
  const given = parts.find(({ name }) => name === DEFAULT_CHARSET);
  return given && given.bytes.length > 0 ? Buffer.from(given.bytes).toString('latin1') : undefined;
}

function pairs(body: Buffer): Part[] {
  const all = pairsIn(body)
    .take(MAX_PARTS + 1)
    .map(({ name, value }) => ({ name: name.toString(), bytes: value }))
    .toArray();
  if (all.length > MAX_PARTS) throw tooMany(MAX_PARTS);
  return all;
}

function formOf(parts: readonly Part[], charset: string | undefined, limits: FormLimits): Form {
  const fields: Fields = Object.create(null) as Fields;
  let file: Form['file'];
  for (const part of parts) {
    const { name, bytes, fileName } = part;
    if (name === limits.file && fileName !== undefined) {
      if (file) throw refuse(`${name}: the form has this file twice`);
      file = { name: fileName, bytes };
      continue;
    }
    if (bytes.length > limits.maxFieldBytes)
      throw new Fault('PAYLOAD_TOO_LARGE', { detail: `${shorten(name)}: a field of this form has at most ${limits.maxFieldBytes} bytes` });
    const wrong = problemWith(name, fields, limits);
    if (wrong !== undefined) throw refuse(wrong);
    fields[name] = textOf(part, charset);
  }
  return { fields: { ...fields }, ...(file && { file }) };
}

/** @returns undefined if the form has this field, and had it not yet */
function problemWith(name: string, read: Fields, { fields, file }: FormLimits): string | undefined {
  if (name === '') return 'a part of the form has no name';
  if (name === file) return `${name}: must be sent as a file, with a filename`;
  if (!fields.includes(name)) return `${shorten(name)}: unknown form field; this form has ${[...fields, ...(file ? [file] : [])].join(', ')}`;
  return name in read ? `${name}: the form has this field twice` : undefined;
}

/** What is no text in its charset is refused: replaced characters would be a loss that nobody notices. */
function textOf({ name, bytes, charset: own, fileName }: Part, fallback: string | undefined): string {
  const isFile = fileName !== undefined;
  const charset = own ?? (isFile ? undefined : fallback);
  const decoder = decoderOf(marked(bytes, charset, isFile) ?? charset ?? 'utf-8', !isFile);
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw refuse(`${name}: ${isFile && charset === undefined ? NO_TEXT : `the text is not ${decoder.encoding.toUpperCase()}`}`, cause);
  }
}

/** Windows writes UTF-16 with a byte order mark, which also decides where the charset leaves it open (RFC 2781 section 4.3). */
function marked([first, second]: Uint8Array, charset: string | undefined, isFile: boolean): string | undefined {
  if (charset === undefined ? !isFile : !/^utf-?16$/i.test(charset)) return undefined;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

function decoderOf(charset: string, keepsMark: boolean): TextDecoder {
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM: keepsMark });
  } catch (cause) {
    throw refuse(`the charset ${shorten(charset)} of the form is unknown`, cause);
  }
}
