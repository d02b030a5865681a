// Bytes and the texts that stand for them.

/** @param {Uint8Array} bytes @returns {string} base64url without padding (RFC 4648 section 5) */
export function toBase64url(bytes) {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** @param {string} text base64url or base64 @throws {Error} for a text that is neither */
export function fromBase64url(text) {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** @param {string} text */
export const toBytes = (text) => new TextEncoder().encode(text);

/** @param {Uint8Array} bytes @returns {string | undefined} undefined for what is not UTF-8 */
export function toText(bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Saves a file where the browser saves files. @param {string} name @param {Uint8Array | string} content @param {string} type */
export function save(name, content, type = 'application/octet-stream') {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([/** @type {BlobPart} */ (content)], { type }));
  link.download = name;
  link.click();
  // The download has begun by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
