// A secret in a file of its own, as the configuration names it.
import { readTextFile, whyUnread } from './text-file.ts';

/** A secret that is read where it is used: no other thread or process of the server holds it. The path is absolute. */
export interface SecretFile {
  readonly file: string;
}

/** @throws as readTextFile */
export function readSecretFile(path: string): string {
  // Editors add a final line break, which is not part of the secret.
  return readTextFile(path).replace(/\r?\n$/, '');
}

/** @throws Error that names the file if it cannot be read, or is empty, as while somebody writes another secret into it */
export function textOfSecret(secret: string | SecretFile): string {
  if (typeof secret === 'string') return secret;
  try {
    const text = readSecretFile(secret.file);
    if (text === '') throw new Error('is empty');
    return text;
  } catch (error) {
    throw new Error(`${secret.file} ${whyUnread(error)}`, { cause: error });
  }
}
