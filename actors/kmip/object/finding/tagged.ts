// Resolves tags to the identifier of one object. If several objects have the tags, the operation decides which one is used.
import type { Reader } from '../../../../kernel/store/store.ts';
import type { OperationName } from '../../../../kmip/operation-name.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { parseTags } from '../../../../kmip/tags.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import type { Structure } from '../../../../kmip/ttlv/node.ts';
import { booleanOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { Principal } from '../../api.ts';
import { tagTerm } from '../index-terms.ts';
import { rowsOf } from '../rows/object-row.ts';
import { SCOPES, Selection } from '../search/selection.ts';

const { SymmetricKey, PublicKey, PrivateKey, Certificate, SecretData, Destroyed, DestroyedCompromised } = { ...ENUM.ObjectType, ...ENUM.State };

/** Maximum in one identifier: both databases accept this many conditions, and it is more than anybody needs. */
const MAX_TAGS = 100;
/** Maximum number of objects to read for one identifier. */
const MAX_TAGGED = 1000;
/** Maximum number of identifiers in an error message. */
const MAX_TOLD = 10;

/** The purpose of a look-up: an operation, or another use that its payload names. */
export type Purpose = OperationName | 'WrapKey' | 'Cascade';

/** Wrapping names its key inside other operations. Cascade applies the operation to the other half of a pair as well, so the lookup is for a pair. */
export function purposeOf(payload: Structure, right: OperationName): Purpose {
  if (payload.tag === TAG.EncryptionKeyInformation) return 'WrapKey';
  return booleanOf(payload, TAG.Cascade) ? 'Cascade' : right;
}

const PROTECTING: readonly number[] = [SymmetricKey, PublicKey, Certificate];
const SIGNING: readonly number[] = [PrivateKey];
const VERIFYING: readonly number[] = [PublicKey, Certificate];
const HASHING: readonly number[] = [SymmetricKey, SecretData];

/** The object types that fit a purpose. A purpose that is not listed fits every type. */
const ABLE: Readonly<Partial<Record<Purpose, readonly number[]>>> = {
  Encrypt: PROTECTING,
  WrapKey: PROTECTING,
  Decrypt: [SymmetricKey, PrivateKey],
  Sign: SIGNING,
  SignatureVerify: VERIFYING,
  MAC: HASHING,
  MACVerify: HASHING,
  ReKey: [SymmetricKey],
  ReKeyKeyPair: [PrivateKey],
  Certify: [PublicKey],
  ReCertify: [Certificate],
  Validate: [Certificate],
};

/** Whether objects of this type fit a purpose. */
export const isAble = (purpose: Purpose, type: number): boolean => ABLE[purpose]?.includes(type) ?? true;

interface Tagged {
  readonly id: string;
  readonly object_type: number;
}

/** Whether a private and a public key with the same tag are a linked pair. */
export type Linked = (privateKey: string, publicKey: string) => Promise<boolean>;

/**
 * The one object that has all these tags, among the caller's own; if there is none, among those that the caller may know of.
 * @param identifier a JSON array of tags
 * @throws Refusal InvalidField with the identifiers, if several remain
 */
export async function taggedObject(from: Reader, identifier: string, caller: Principal, purpose: Purpose, linked: Linked): Promise<string | undefined> {
  const tags = parseTags(identifier);
  if (!tags || tags.length === 0) throw new Refusal('InvalidField', 'an identifier that begins with [ must be a JSON array of tags');
  if (tags.length > MAX_TAGS) throw new Refusal('InvalidField', `an identifier can contain at most ${MAX_TAGS} tags`);
  for (const scope of SCOPES) {
    const selection = new Selection(caller, scope);
    selection.where(`o.state NOT IN (${Destroyed}, ${DestroyedCompromised})`);
    for (const each of tags) selection.term(tagTerm(each));
    const rows = await from.all<{ id: string }>(`${selection.sql()} LIMIT ${MAX_TAGGED + 1}`, selection.params);
    if (rows.length > 1) return theOne(await rowsOf<Tagged>(from, rows.map(({ id }) => id).sort(), 'id, object_type'), identifier, purpose, linked);
    if (rows[0]) return rows[0].id;
  }
  return undefined;
}

async function theOne(found: readonly Tagged[], identifier: string, purpose: Purpose, linked: Linked): Promise<string> {
  const able = found.filter(({ object_type: type }) => isAble(purpose, type));
  const one = purpose === 'Cascade' ? await pairIn(found, linked) : withoutCertificates(able);
  if (one !== undefined) return one;
  const choice = able.length > 0 ? able : found;
  const told = choice.slice(0, MAX_TOLD).map(({ id }) => id);
  const more =
    choice.length > told.length ? `, and ${choice.length > MAX_TAGGED ? `more than ${MAX_TAGGED - MAX_TOLD}` : choice.length - told.length} others` : '';
  throw new Refusal('InvalidField', `several objects have the tags ${identifier}; give the identifier of one of them: ${told.join(', ')}${more}`);
}

/** Prefers a public key to its certificate. */
function withoutCertificates(able: readonly Tagged[]): string | undefined {
  const keys = able.filter(({ object_type: type }) => type !== Certificate);
  const [one, ...others] = keys.length > 0 ? keys : able;
  return others.length === 0 ? one?.id : undefined;
}

/** The private key, if the objects with the tags are exactly one linked pair. */
async function pairIn(found: readonly Tagged[], linked: Linked): Promise<string | undefined> {
  const of = (type: number) => found.find(({ object_type: each }) => each === type)?.id;
  const [privateKey, publicKey] = [of(PrivateKey), of(PublicKey)];
  if (found.length !== 2 || privateKey === undefined || publicKey === undefined) return undefined;
  return (await linked(privateKey, publicKey)) ? privateKey : undefined;
}
