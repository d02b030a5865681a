// Reads the files that are named on the command line; every refusal says which file it is about.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { openAsBlob, readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { namingFile } from '../kernel/private-file.ts';
import { CommandError, EXIT } from './exit.ts';

/** Node names a file that it cannot open, but neither a folder that was opened nor a disk that fails. */
export function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw namingFile(path, error);
  }
}

/** A file that is read while it is sent: a large one is not in memory. */
export async function blobOf(path: string): Promise<Blob> {
  if (!statSync(path).isFile()) throw new CommandError(`${path} is not a file with a length, such as a folder or a pipe`, EXIT.usage);
  return openAsBlob(path).catch((error: unknown) => {
    throw new CommandError(`${path} cannot be read: ${(error as Error).message}`);
  });
}

/** Node passes over a text without certificates, and trusts nobody. @throws CommandError unless it has certificates in PEM */
export function authoritiesIn(path: string): string {
  const pem = textOf(path);
  const blocks = pem.match(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g);
  try {
    for (const block of blocks ?? []) new X509Certificate(block);
    if (blocks) return pem;
  } catch {
    // Said below.
  }
  throw new CommandError(`${path} has no certificate in PEM, or a damaged one`, EXIT.usage);
}

/** @throws CommandError unless they are a certificate and its key in PEM */
export function clientCertificate(certificate: string, privateKey: string): { cert: string; key: string } {
  const [cert, key] = [textOf(certificate), textOf(privateKey)];
  const fits = (what: string, options: { cert?: string; key?: string }) => {
    try {
      createSecureContext(options);
    } catch (error) {
      throw new CommandError(`${what}: ${(error as Error).message}`, EXIT.usage);
    }
  };
  fits(`${certificate} is not a certificate in PEM`, { cert });
  fits(`${privateKey} is not a private key in PEM without a passphrase`, { key });
  // A certificate and a key of different algorithms go into a context together.
  if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return { cert, key };
  throw new CommandError(`${privateKey} is not the key of ${certificate}`, EXIT.usage);
}
