// The check of password hashes that a caller supplies: PHC strings of Argon2id with exactly the server's cost.

/** Two times 64 bytes in base64 and the parameters take less than 220. */
export const MAX_PHC_CHARACTERS = 512;

const PHC = /^\$argon2id\$v=19\$m=65536,t=3,p=4\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** Salt of 8-64 bytes, hash of 16-64 bytes, base64 without padding, no other parameter. */
export function isServerPhc(text: string): boolean {
  const [, salt, digest] = PHC.exec(text) ?? [];
  return isBase64(salt, 8, 64) && isBase64(digest, 16, 64);
}

function isBase64(text: string | undefined, least: number, most: number): boolean {
  if (text === undefined) return false;
  const bytes = Buffer.from(text, 'base64');
  // The text has to be the one form of these bytes: no stray bits, no impossible length.
  return bytes.length >= least && bytes.length <= most && bytes.toString('base64').replace(/=+$/, '') === text;
}
