// Lists the keys of a token, each read once: tokens look through all their keys for a search, so none may be made for each pair.
import type pkcs11js from 'pkcs11js';
import { CKA } from '../../kmip/pkcs11.ts';
import type { TokenKey, TokenKeyKind, TokenKeyName } from './api.ts';
import { type Attributes, readOrNone } from './attributes.ts';
import { chosenName, idOf } from './key-name.ts';
import { KINDS, type Token } from './token.ts';

interface Found {
  readonly handle: pkcs11js.Handle;
  readonly attributes: Attributes;
}

/** All keys of the token that have a name. A key that cannot be read, as one that was just destroyed, is like one that is not there. */
export function listKeys(token: Token): TokenKey[] {
  const found = new Map(KINDS.map(([kind]) => [kind, foundOf(token, kind)]));
  const halfOf = halves(found.get('public') ?? []);
  return [...found].flatMap(([kind, keys]) => {
    const labels = Map.groupBy(keys, ({ attributes }) => attributes.get(CKA.LABEL)?.toString('latin1'));
    return keys.flatMap(({ handle, attributes }) => {
      const isAlone = (label: Buffer) => labels.get(label.toString('latin1'))?.length === 1;
      const name = chosenName(attributes.get(CKA.ID), attributes.get(CKA.LABEL), isAlone);
      return name === undefined ? [] : readOrNone(() => token.describe({ name, kind }, handle, { attributes, half: halfOf }));
    });
  });
}

function foundOf(token: Token, kind: TokenKeyKind): Found[] {
  return token.listed(kind).flatMap((handle) => readOrNone(() => ({ handle, attributes: token.attributes(handle, kind) })));
}

/** As a search among the public keys: by CKA_ID, else by CKA_LABEL; of several of one name none. */
function halves(keys: readonly Found[]): (name: TokenKeyName['name']) => pkcs11js.Handle | undefined {
  const by = (type: number) => Map.groupBy(keys, ({ attributes }) => attributes.get(type)?.toString('latin1'));
  const [ids, labels] = [by(CKA.ID), by(CKA.LABEL)];
  return (name) => {
    const named = ids.get(idOf(name).toString('latin1')) ?? labels.get(Buffer.from(name).toString('latin1')) ?? [];
    return named.length === 1 ? named[0]?.handle : undefined;
  };
}
