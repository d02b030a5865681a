// The object of a key that somebody else made on a token.
import { AttributeSet } from '../../../../kmip/attribute/set.ts';
import { keyBlock } from '../../../../kmip/key-block.ts';
import { defaultFormat, exportKey } from '../../../../kmip/key-format/key-format.ts';
import type { ObjectType as ObjectTypeCode } from '../../../../kmip/object-type.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { boolean, enumeration, integer, type Structure, structure } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { SlotPlace, TokenKey, TokenKeyKind, TokenUse } from '../../../hsm/api.ts';
import type { OperationContext } from '../../operation-context.ts';
import { newObject, setLink } from '../create.ts';
import { identifierOf } from '../hsm-identifier.ts';
import { algorithmOf } from '../key-attributes.ts';
import type { Draft } from '../managed-object.ts';
import { placeFor } from '../place.ts';
import { curveOfParams, publicKeyOf } from './public-key.ts';
import { describePublic, keptContent, maskOf } from './shape.ts';
import { standInOn } from './token-material.ts';

const { ObjectType } = ENUM;

export const foundIdentifier = ({ name, kind }: TokenKey, at: SlotPlace): string => identifierOf({ ...at, name }, kind === 'public');

/** What the public key of a pair is for, by the uses of its private key. */
const COUNTERPARTS: Readonly<Partial<Record<TokenUse, TokenUse>>> = { sign: 'verify', decrypt: 'encrypt', unwrap: 'wrap' };

/**
 * The public key that a private key tells where the token has none: this server verifies with it. It encrypts on the token once this has it too: its
 * usage mask stays as it is now.
 * @returns undefined for every other key
 */
export function toldHalf(key: TokenKey): TokenKey | undefined {
  if (key.half !== 'told') return undefined;
  return { ...key, kind: 'public', half: undefined, uses: key.uses.flatMap((use) => COUNTERPARTS[use] ?? []), sensitive: false, extractable: true };
}

const TYPE: Readonly<Record<TokenKeyKind, ObjectTypeCode>> = { secret: ObjectType.SymmetricKey, private: ObjectType.PrivateKey, public: ObjectType.PublicKey };

/** The object of a key as it was found; undefined for one that this server does not know how to use. */
export function draftOf(ctx: OperationContext, key: TokenKey, at: SlotPlace): Draft | undefined {
  const id = foundIdentifier(key, at);
  const attributes = new AttributeSet();
  attributes.set(integer(TAG.CryptographicUsageMask, maskOf(key.uses, key.kind === 'secret')));
  attributes.set(boolean(TAG.Sensitive, key.sensitive));
  attributes.set(boolean(TAG.Extractable, key.extractable));
  const type = key.type === 'GENERIC' ? ObjectType.SecretData : TYPE[key.kind];
  const content = key.kind === 'secret' ? secretContent(key, attributes) : pairContent(key, attributes);
  if (!content) return undefined;
  const draft = newObject(ctx, { place: placeFor(ctx, { type, found: id }), type, content, attributes, brought: true });
  const pair = { ...at, name: key.pairName ?? key.name };
  if (key.kind === 'private' && key.half) setLink(draft, 'PublicKeyLink', identifierOf(pair, true));
  if (key.kind === 'public') setLink(draft, 'PrivateKeyLink', identifierOf(pair));
  return draft;
}

function secretContent({ type, bits }: TokenKey, attributes: AttributeSet): Structure | undefined {
  if (type !== 'AES' && type !== 'GENERIC') return undefined;
  if (type === 'AES') attributes.set(enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.AES));
  return keptContent(type === 'AES' ? TAG.SymmetricKey : TAG.SecretData, type === 'AES' ? 'AES' : undefined, bits);
}

function pairContent({ kind, publicKey, params }: TokenKey, attributes: AttributeSet): Structure | undefined {
  const curve = params && curveOfParams(params);
  // A private key on a curve signs and agrees also where its public key is not on the token.
  const key = publicKey ? publicKeyOf(publicKey) : curve && standInOn(curve);
  if (!key) return undefined;
  describePublic(attributes, key);
  const algorithm = algorithmOf({ attributes });
  const length = attributes.first(TAG.CryptographicLength)?.value as number;
  if (algorithm === undefined) return undefined;
  if (kind === 'private') return keptContent(TAG.PrivateKey, algorithm, length);
  const format = defaultFormat('PublicKey', algorithm);
  return structure(TAG.PublicKey, [keyBlock({ format, material: exportKey(key, format), algorithm, length })]);
}
