// What a key is called among the other keys of its token, and the other half of its pair: by a search of the token, or of a list of its keys.
import type pkcs11js from 'pkcs11js';
import { CKA } from '../../../kmip/pkcs11.ts';
import type { TokenKeyKind } from '../api.ts';
import type { Attributes } from './attributes.ts';
import { chosenName, idOf } from './key-name.ts';

/** The keys of a kind with this CKA_ID or CKA_LABEL. */
export type Search = (kind: TokenKeyKind, type: number, value: Buffer) => readonly pkcs11js.Handle[];

/** Kinds whose keys have one form of identifier, so that one key takes the name from the others. */
export const KIN = { secret: ['secret', 'private'], private: ['private', 'secret'], public: ['public'] } as const;
/** Kinds that a key leaves its label to: so the name of a secret key does not change when somebody makes a pair with its label. */
const LABEL_BEFORE = { secret: ['secret'], private: ['secret', 'private'], public: ['public'] } as const;
export const OTHER_HALF = { private: 'public', public: 'private' } as const;

export function nameAmong(search: Search, kind: TokenKeyKind, attributes: Attributes): string | undefined {
  const isAlone = (label: Buffer) =>
    LABEL_BEFORE[kind].flatMap((each) => search(each, CKA.LABEL, label)).length === 1 && KIN[kind].every((each) => search(each, CKA.ID, label).length === 0);
  return chosenName(attributes.get(CKA.ID), attributes.get(CKA.LABEL), isAlone);
}

/**
 * The halves of a pair have one CKA_ID, whatever their labels are (PKCS #11 3.1 section 4.8). Where none has it, they have one name.
 * @param kind of the half that is known @param name its name
 * @returns undefined if there is none, or if there are several, because then none is known to belong to the pair
 */
export function halfAmong(search: Search, kind: 'private' | 'public', name: string, attributes: Attributes): pkcs11js.Handle | undefined {
  const other = OTHER_HALF[kind];
  const id = attributes.get(CKA.ID);
  const wanted: [number, Buffer][] = [
    [CKA.ID, idOf(name)],
    [CKA.LABEL, Buffer.from(name)],
  ];
  if (id && id.length > 0) wanted.unshift([CKA.ID, id]);
  for (const [type, value] of wanted) {
    const found = search(other, type, value);
    if (found.length > 0) return found.length === 1 ? found[0] : undefined;
  }
  return undefined;
}

/** Whether no public key can be the other half of a private key. Where several keys have its names, none is known to be. */
export function isWithoutHalf(search: Search, attributes: Attributes): boolean {
  const names = [CKA.ID, CKA.LABEL].flatMap((type) => {
    const value = attributes.get(type);
    return value && value.length > 0 ? [[type, value] as const] : [];
  });
  return names.every(([type, value]) => search('public', type, value).length === 0 && (type !== CKA.ID || search('private', type, value).length === 1));
}
