// Finds one key of a token, with the name that it has among the others, and that of the other half of its pair.
import { CKA } from '../../kmip/pkcs11.ts';
import type { TokenKey, TokenKeyName } from './api.ts';
import type { Attributes } from './attributes.ts';
import { halfAmong, nameAmong } from './key-kin.ts';
import { hasTextId } from './key-name.ts';
import type { Token } from './token.ts';

/** With the name that it is listed by, whichever it was asked for by: a key has one identifier. @throws KeyMissing, KeyAmbiguous */
export function find(token: Token, key: TokenKeyName): TokenKey {
  const handle = token.handle(key);
  const attributes = token.attributes(handle, key.kind);
  const name = nameAmong(token.kin, key.kind, attributes) ?? key.name;
  return { ...token.describe(key, handle, { attributes, search: token.kin }), name, pairName: pairName(token, { ...key, name }, attributes) };
}

/** The halves of a pair whose CKA_ID is a text have this as their name. */
function pairName(token: Token, { kind, name }: TokenKeyName, attributes: Attributes): string | undefined {
  if (kind === 'secret' || hasTextId(attributes.get(CKA.ID))) return undefined;
  const half = halfAmong(token.kin, kind, name, attributes);
  const other = kind === 'private' ? 'public' : 'private';
  return half && nameAmong(token.kin, other, token.attributes(half, other));
}
