// Reads PEM files (RFC 7468) and parses every block, so that a damaged block is reported and not silently skipped.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { unfitList } from './unfit-list.ts';

interface PemKind {
  /** Name of the kind in messages. */
  readonly what: string;
  /** The text after BEGIN and END. */
  readonly label: RegExp;
  /** @throws Error for a damaged block */
  parse(block: string): unknown;
  /** @returns why a block cannot be used, however intact it is */
  unfit?(block: string): string | undefined;
}

/** The kinds of blocks that OpenSSL reads, with the labels that it accepts. */
const KINDS = {
  certificate: { what: 'certificate', label: /^(?:X509 |TRUSTED )?CERTIFICATE$/, parse: (block) => new X509Certificate(block) },
  privateKey: { what: 'private key', label: /^(?:[A-Z]+ )*PRIVATE KEY$/, parse: (block) => createPrivateKey(block), unfit: lockedKey },
  revocationList: {
    what: 'revocation list',
    label: /^X509 CRL$/,
    parse: (block) => createSecureContext({ crl: block }),
    unfit: (block) => unfitList(derOf(block)),
  },
} as const satisfies Record<string, PemKind>;

const BEGIN = /-----BEGIN ([A-Z0-9 ]+)-----/g;

/** @returns the blocks of this kind, in their order; undefined in place of one without its end line. The text may also hold blocks of other kinds. */
function blocksOf(text: string, { label }: PemKind): (string | undefined)[] {
  const begins = [...text.matchAll(BEGIN)].filter(([, name]) => label.test(name as string));
  return begins.map(({ 0: begin, 1: name, index: at }) => {
    const end = `-----END ${name}-----`;
    const closes = text.indexOf(end, at + begin.length);
    return closes === -1 ? undefined : `${text.slice(at, closes + end.length)}\n`;
  });
}

/** @returns the whole blocks of this kind, in their order */
export function blocksIn(pem: string, kind: keyof typeof KINDS): string[] {
  return blocksOf(pem, KINDS[kind]).filter((block) => block !== undefined);
}

/** @returns what stands between the lines BEGIN and END */
export const derOf = (block: string): Buffer => Buffer.from(block.replace(/-----[^-]+-----/g, ''), 'base64');

/** In PKCS #8, and as OpenSSL wrote keys before. What it says of them without a passphrase is that reading was cancelled. */
function lockedKey(block: string): string | undefined {
  const isLocked = /^-----BEGIN ENCRYPTED /.test(block) || /^Proc-Type: *4,ENCRYPTED/m.test(block);
  return isLocked ? 'has a passphrase, which nothing here can ask for: write the key without one (openssl pkey -in FILE -out NEW)' : undefined;
}

/** @param problem gets a message, beginning with the path, if the file cannot be used @returns the file; undefined if it cannot be used */
export function readPem(path: string, kind: keyof typeof KINDS, problem: (text: string) => void): Buffer | undefined {
  let pem: Buffer;
  try {
    pem = readOwn(path);
  } catch (error) {
    problem(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
    return undefined;
  }
  const wrong = damage(pem.toString('latin1'), KINDS[kind]);
  if (wrong !== undefined) problem(`${path} ${wrong}`);
  return wrong === undefined ? pem : undefined;
}

/** With a buffer of its own: Node reads a small file into the buffer that it shares among many, which cannot cross to a front, and where a key would stay. */
function readOwn(path: string): Buffer {
  const shared = readFileSync(path);
  const own = Buffer.alloc(shared.length);
  shared.copy(own);
  shared.fill(0);
  return own;
}

/** @returns what is wrong with the text; undefined if nothing is */
function damage(text: string, kind: PemKind): string | undefined {
  const { what, parse, unfit } = kind;
  const blocks = blocksOf(text, kind);
  if (blocks.length === 0) return `holds no ${what} in PEM format`;
  for (const [index, block] of blocks.entries()) {
    const which = blocks.length === 1 ? `its ${what}` : `${what} ${index + 1} of ${blocks.length}`;
    if (block === undefined) return `is incomplete: ${which} has no end line`;
    const why = unfit?.(block);
    if (why !== undefined) return `cannot be used: ${which} ${why}`;
    try {
      parse(block);
    } catch (error) {
      return `cannot be used: ${which} is damaged (${(error as Error).message})`;
    }
  }
  return undefined;
}

/** OpenSSL takes a certificate and a key of two types, such as RSA and EC, for halves of two pairs, without a word. @throws Error if one of them is none */
export const isPair = (certificate: string | Buffer, privateKey: string | Buffer): boolean =>
  new X509Certificate(certificate).checkPrivateKey(createPrivateKey(privateKey));
