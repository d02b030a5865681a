// Reads the files that are named on the command line; every refusal says which file it is about.
import { openAsBlob, statSync } from 'node:fs';
import { readTextFile } from '../kernel/config/text-file.ts';
import { namingFile } from '../kernel/disk/private-file.ts';
import { isPair, readPem } from '../kernel/pem.ts';
import { CommandError, EXIT } from './exit.ts';

/** Node names a file that it cannot open, but neither a folder that was opened nor a disk that fails. */
export function textOf(path: string): string {
  try {
    return readTextFile(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code === undefined ? new CommandError(`${path} ${message}`, EXIT.usage) : namingFile(path, error);
  }
}

/** A file that is read while it is sent: a large one is not in memory. */
export async function blobOf(path: string): Promise<Blob> {
  if (!statSync(path).isFile()) throw new CommandError(`${path} is not a file with a length, such as a folder or a pipe`, EXIT.usage);
  return openAsBlob(path).catch((error: unknown) => {
    throw new CommandError(`${path} cannot be read: ${(error as Error).message}`);
  });
}

/** @throws CommandError unless the file has blocks of this kind, all of them whole: TLS passes over others without a word, and trusts nobody */
export function pemIn(path: string, kind: 'certificate' | 'privateKey'): string {
  const pem = readPem(path, kind, (problem) => {
    throw new CommandError(problem, EXIT.usage);
  });
  return String(pem);
}

/** @throws CommandError unless they are a certificate and its key in PEM */
export function clientCertificate(certificate: string, privateKey: string): { cert: string; key: string } {
  const [cert, key] = [pemIn(certificate, 'certificate'), pemIn(privateKey, 'privateKey')];
  if (isPair(cert, key)) return { cert, key };
  throw new CommandError(`${privateKey} is not the key of ${certificate}`, EXIT.usage);
}
