// Finds one key of a token, with the name that it has among the others, and that of the other half of its pair.
import { CKA } from '../../../kmip/pkcs11.ts';
import type { TokenKey, TokenKeyName } from '../api.ts';
import { halfAmong, nameAmong, OTHER_HALF } from './key-kin.ts';
import { hasTextId } from './key-name.ts';
import type { Token } from './token.ts';

/** With the name that it is listed by, whichever it was asked for by: a key has one identifier. @throws KeyMissing, KeyAmbiguous */
export function find(token: Token, key: TokenKeyName): TokenKey {
  const handle = token.handle(key);
  const { kind } = key;
  const attributes = token.attributes(handle, kind);
  const search = token.kin;
  const name = nameAmong(search, kind, attributes) ?? key.name;
  // A key that was found by its label may share its CKA_ID with others. Then this throws: its name is ambiguous.
  if (name !== key.name) token.lookUp({ name, kind });
  if (kind === 'secret') return { ...token.describe(key, handle, { attributes, search, half: undefined }), name };
  // The halves of a pair whose CKA_ID is a text have this as their name.
  const isNamed = hasTextId(attributes.get(CKA.ID));
  const half = isNamed && kind === 'public' ? undefined : halfAmong(search, kind, key.name, attributes);
  const pairName = isNamed || half === undefined ? undefined : nameAmong(search, OTHER_HALF[kind], token.attributes(half, OTHER_HALF[kind]));
  return { ...token.describe(key, handle, { attributes, search, half }), name, pairName };
}
