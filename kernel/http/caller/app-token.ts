// Reads the app token of a request. Its header has two names: our own, and the one that clients of Vault and OpenBao send.
import type { IncomingHttpHeaders } from 'node:http';

/** @returns the token as sent; undefined if there is none; null if the two headers differ */
export function appTokenIn({ 'x-app-token': own, 'x-vault-token': vault }: IncomingHttpHeaders): string | undefined | null {
  if (own !== undefined && vault !== undefined && own !== vault) return null;
  const value = own ?? vault;
  return value === undefined ? undefined : String(value);
}
