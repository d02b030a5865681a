// The header of an app token, which has two names: the one of this server, and the one that clients of Vault and OpenBao send.
import type { IncomingHttpHeaders } from 'node:http';

/** @returns the token as sent, undefined where there is none, null where the two names say different things */
export function appTokenIn({ 'x-app-token': own, 'x-vault-token': vault }: IncomingHttpHeaders): string | undefined | null {
  if (own !== undefined && vault !== undefined && own !== vault) return null;
  const value = own ?? vault;
  return value === undefined ? undefined : String(value);
}
