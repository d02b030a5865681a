// Writes bytes as base64url without padding (RFC 7515 section 2).
import { bufferOver } from '../../../kmip/ttlv/lexical.ts';

export function base64url(bytes: Uint8Array): string {
  return bufferOver(bytes).toString('base64url');
}
