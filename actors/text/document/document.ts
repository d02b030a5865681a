// Reads an epub, pdf or docx into passages. The content decides what it is, and its name must not say something else.
import { createHash } from 'node:crypto';
import { passagesOf } from '../../../text/passages.ts';
import { cutBefore } from '../../../text/surrogate-pair.ts';
import type { DocumentKind, ReadDocument } from '../api.ts';
import { refuse } from '../refuse.ts';
import { Archive } from './archive.ts';
import type { Content } from './content.ts';
import { docxBody, readDocx } from './docx.ts';
import { isEpub, readEpub } from './epub.ts';
import { isPdf, readPdf } from './pdf.ts';

const MAX_TITLE = 500;
/** It has a letter: what is behind the point of "report v2.0" or "minutes 3.10.2025" is a number, and says nothing of the content. */
const EXTENSION = /\.(?=\d*[a-z])([a-z0-9]+)$/i;
const KINDS = 'an epub, pdf or docx file';
const ZIP = Buffer.from('PK\u0003\u0004');
/** Compound file (MS-CFB): Word files from before docx, and docx files with a password. */
const COMPOUND = Buffer.from('d0cf11e0a1b11ae1', 'hex');

/** @throws Fault BAD_REQUEST for a file of another kind, and for one that is damaged, encrypted, too large or without text */
export async function readDocument(name: string, file: Uint8Array): Promise<ReadDocument> {
  const sha256 = createHash('sha256').update(file).digest('hex');
  const { kind, content } = await contentOf(file, EXTENSION.exec(name)?.[1]?.toLowerCase());
  const passages = passagesOf(content.blocks);
  if (passages.length === 0)
    throw refuse(kind === 'pdf' ? 'the pdf has no text; add a copy with a text layer, as text recognition makes it' : `the ${kind} has no text`);
  return { kind, title: content.title.slice(0, cutBefore(content.title, MAX_TITLE)), sha256, passages };
}

async function contentOf(file: Uint8Array, extension: string | undefined): Promise<{ readonly kind: DocumentKind; readonly content: Content }> {
  if (file.byteLength === 0) throw refuse('the file is empty');
  const begins = (magic: Buffer) => magic.equals(Buffer.from(file.buffer, file.byteOffset, Math.min(magic.length, file.byteLength)));
  if (begins(COMPOUND)) throw refuse('the file is an old Word file, or has a password; save it as docx without a password');
  if (begins(ZIP)) {
    const archive = await Archive.open(file);
    if (isEpub(archive)) {
      requireName(extension, 'epub');
      return { kind: 'epub', content: await readEpub(archive) };
    }
    const body = await docxBody(archive);
    if (body === undefined) throw refuse(`the file is not ${KINDS}`);
    requireName(extension, 'docx');
    return { kind: 'docx', content: await readDocx(archive, body) };
  }
  if (!isPdf(file)) throw refuse(`the file is not ${KINDS}`);
  requireName(extension, 'pdf');
  return { kind: 'pdf', content: await readPdf(file) };
}

/** A file without an extension has said nothing wrong. */
function requireName(extension: string | undefined, kind: DocumentKind): void {
  if (extension !== undefined && extension !== kind)
    throw refuse(`the name of the file ends in .${extension.slice(0, 16)}, but its content is that of .${kind}`);
}
