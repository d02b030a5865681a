// Opens a zip archive (epub, docx) without trusting it: numbers, names and sizes of entries are bounded before anything is inflated.
import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { refuse } from '../refuse.ts';

const MAX_ENTRIES = 5_000;
const MAX_ENTRY_BYTES = 50 * 2 ** 20;
const MAX_TOTAL_BYTES = 200 * 2 ** 20;
/** Inflated bytes for each byte of the file. Small archives may have a larger one. */
const MAX_RATIO = 200;
const MIN_RATIO_BYTES = 2 ** 20;
/** Bit of the general purpose flags: the entry is encrypted. */
const ENCRYPTED = 1;

export class Archive {
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip;
    this.#entries = entries;
  }

  /** @throws Fault BAD_REQUEST for an archive that is malformed, encrypted or too large when inflated */
  static async open(file: Uint8Array): Promise<Archive> {
    const zip = await openZip(file);
    if (zip.entryCount > MAX_ENTRIES) throw refuse(`the file is an archive of ${zip.entryCount} entries; at most ${MAX_ENTRIES} are allowed`);
    const entries = new Map<string, Entry>();
    let total = 0;
    for (const entry of await entriesOf(zip)) {
      total += entry.uncompressedSize;
      if ((entry.generalPurposeBitFlag & ENCRYPTED) !== 0) throw refuse('the file is encrypted; remove its password and try again');
      if (entry.uncompressedSize > MAX_ENTRY_BYTES || total > MAX_TOTAL_BYTES || (total > MIN_RATIO_BYTES && total > file.length * MAX_RATIO))
        throw refuse('the file is too large when it is unpacked');
      if (entries.has(entry.fileName)) throw refuse('the archive has an entry twice');
      entries.set(entry.fileName, entry);
    }
    return new Archive(zip, entries);
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /**
   * yauzl ends the stream with an error if an entry has another size than its header says.
   * @param isExact whether bytes that are no text in its encoding are refused; else they become U+FFFD, as in browsers
   * @throws Fault BAD_REQUEST if it is missing or damaged
   */
  async text(name: string, isExact = false): Promise<string> {
    const entry = this.#entries.get(name);
    if (!entry) throw refuse(`the archive has no ${name}`);
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of await this.#zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    } catch (cause) {
      throw refuse(`the archive is damaged in ${name}`, cause);
    }
    const bytes = Buffer.concat(chunks);
    // Not every damage keeps a file from being unpacked: of an entry that is not compressed it only changes the text.
    if (crc32(bytes) !== entry.crc32) throw refuse(`the archive is damaged in ${name}`);
    const text = decode(name, bytes, isExact);
    // No reader here expands entities; a file that declares its own is an attack or cannot be read right.
    if (/<!ENTITY/i.test(text)) throw refuse(`${name} declares entities, which are not allowed`);
    return text;
  }
}

async function openZip(file: Uint8Array): Promise<ZipFile> {
  try {
    return await fromBufferPromise(Buffer.from(file.buffer, file.byteOffset, file.byteLength), {
      lazyEntries: true,
      validateEntrySizes: true,
      strictFileNames: true,
    });
  } catch (cause) {
    throw refuse('the archive is malformed', cause);
  }
}

/** yauzl refuses names that lead out of the archive. */
async function entriesOf(zip: ZipFile): Promise<Entry[]> {
  try {
    const entries: Entry[] = [];
    for await (const entry of zip.eachEntry()) entries.push(entry);
    return entries;
  } catch (cause) {
    throw refuse('the archive is malformed', cause);
  }
}

const DECLARATION = /^<\?xml\s[^>]*?encoding\s*=\s*["']([\w.-]+)["']/;
const MAX_DECLARATION_BYTES = 256;

/** @throws Fault BAD_REQUEST for an encoding that nobody knows, and for bytes that are no text in it if that is asked for */
function decode(name: string, bytes: Buffer, isExact: boolean): string {
  const encoding = encodingOf(bytes);
  const decoder = decoderOf(name, encoding, isExact);
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw refuse(`${name} is not in the encoding ${encoding.slice(0, 32)}, as it should be; save the document anew`, cause);
  }
}

function decoderOf(name: string, encoding: string, isExact: boolean) {
  try {
    return new TextDecoder(encoding, { fatal: isExact });
  } catch (cause) {
    throw refuse(`${name} is in the encoding ${encoding.slice(0, 32)}, which cannot be read`, cause);
  }
}

/** UTF-16 with a byte order mark, else as the declaration says: old books are in ISO-8859-1 or windows-1252 (XML 1.0 section 4.3.3). */
function encodingOf(bytes: Buffer): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const declared = DECLARATION.exec(bytes.toString('latin1', 0, MAX_DECLARATION_BYTES))?.[1] ?? 'utf-8';
  // The declaration could be read as single bytes, so the file is not in UTF-16, whatever it says.
  return /^utf-?16/i.test(declared) ? 'utf-8' : declared;
}
