// Lists the keys of a token, each read once: tokens look through all their keys for a search, so none may be made for each pair.
import type pkcs11js from 'pkcs11js';
import { CKA } from '../../../kmip/pkcs11.ts';
import type { TokenKey, TokenKeyKind } from '../api.ts';
import { type Attributes, readOrNone } from './attributes.ts';
import { halfAmong, nameAmong, type Search } from './key-kin.ts';
import { KINDS, type Token } from './token.ts';

interface Found {
  readonly handle: pkcs11js.Handle;
  readonly attributes: Attributes;
}

/**
 * All keys of the token that have a name of their own; keys that share a CKA_ID have none. A key that cannot be read, as one that was just destroyed, is
 * like one that is not there.
 */
export function listKeys(token: Token): TokenKey[] {
  const found = new Map(KINDS.map(([kind]) => [kind, foundOf(token, kind)]));
  const search = searchIn(found);
  const names = new Map([...found].flatMap(([kind, keys]) => keys.map(({ handle, attributes }) => [handle, nameAmong(search, kind, attributes)] as const)));
  return [...found].flatMap(([kind, keys]) => {
    const named = Map.groupBy(keys, ({ handle }) => names.get(handle));
    return keys.flatMap(({ handle, attributes }) => {
      const name = names.get(handle);
      if (name === undefined || named.get(name)?.length !== 1) return [];
      const half = kind === 'secret' ? undefined : halfAmong(search, kind, name, attributes);
      return readOrNone(() => ({ ...token.describe({ name, kind }, handle, { attributes, search, half }), pairName: half && names.get(half) }));
    });
  });
}

function foundOf(token: Token, kind: TokenKeyKind): Found[] {
  return token.listed(kind).flatMap((handle) => readOrNone(() => ({ handle, attributes: token.attributes(handle, kind) })));
}

function searchIn(found: ReadonlyMap<TokenKeyKind, readonly Found[]>): Search {
  const place = (kind: TokenKeyKind, type: number, value: Buffer | undefined) => `${kind} ${type} ${value?.toString('latin1')}`;
  const each = [...found].flatMap(([kind, keys]) =>
    keys.flatMap(({ handle, attributes }) => [CKA.ID, CKA.LABEL].map((type) => ({ handle, at: place(kind, type, attributes.get(type)) }))),
  );
  const by = Map.groupBy(each, ({ at }) => at);
  return (kind, type, value) => (by.get(place(kind, type, value)) ?? []).map(({ handle }) => handle);
}
