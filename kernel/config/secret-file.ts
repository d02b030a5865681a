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

/** @throws Error that names the file if it cannot be read */
export function textOfSecret(secret: string | SecretFile): string {
  if (typeof secret === 'string') return secret;
  try {
    return readSecretFile(secret.file);
  } catch (error) {
    throw new Error(`${secret.file} ${whyUnread(error)}`, { cause: error });
  }
}
