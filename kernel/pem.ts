// PEM files (RFC 7468) that the configuration names: read, and every block parsed, so that a damaged one is named and not left out without a word.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';

interface PemKind {
  /** In words, for messages. */
  readonly what: string;
  /** What stands behind BEGIN and END. */
  readonly label: RegExp;
  /** @throws Error for a block that is damaged */
  parse(block: string): unknown;
}

/** What OpenSSL reads of a file. */
const KINDS = {
  certificate: { what: 'certificate', label: /^(?:X509 |TRUSTED )?CERTIFICATE$/, parse: (block) => new X509Certificate(block) },
  privateKey: { what: 'private key', label: /^(?:[A-Z]+ )*PRIVATE KEY$/, parse: (block) => createPrivateKey(block) },
  revocationList: { what: 'revocation list', label: /^X509 CRL$/, parse: (block) => createSecureContext({ crl: block }) },
} as const satisfies Record<string, PemKind>;

const BEGIN = /-----BEGIN ([A-Z0-9 ]+)-----/g;

/** @param problem says what is wrong, with the path; at its first call the file is of no use */
export function readPem(path: string, kind: keyof typeof KINDS, problem: (text: string) => void): Buffer | undefined {
  let pem: Buffer;
  try {
    pem = readFileSync(path);
  } catch (error) {
    problem(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
    return undefined;
  }
  const wrong = damage(pem.toString('latin1'), KINDS[kind]);
  if (wrong !== undefined) problem(`${path} ${wrong}`);
  return wrong === undefined ? pem : undefined;
}

/** What is wrong with the text, undefined where nothing is. A file may hold other blocks beside those that are looked for. */
function damage(text: string, { what, label, parse }: PemKind): string | undefined {
  const begins = [...text.matchAll(BEGIN)].filter((match) => label.test(match[1] as string));
  if (begins.length === 0) return `holds no ${what} in PEM`;
  for (const [index, { 0: begin, 1: name, index: at }] of begins.entries()) {
    const which = begins.length === 1 ? `its ${what}` : `${what} ${index + 1} of ${begins.length}`;
    const end = `-----END ${name}-----`;
    const closes = text.indexOf(end, at + begin.length);
    if (closes === -1) return `is cut off: ${which} has no end`;
    try {
      parse(`${text.slice(at, closes + end.length)}\n`);
    } catch (error) {
      return `cannot be used: ${which} does not parse (${(error as Error).message})`;
    }
  }
  return undefined;
}
