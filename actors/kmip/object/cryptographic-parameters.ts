// Determines the cryptographic parameters of an operation: those of the request, completed from the object (KMIP specification 2.1 section 4.16).
import type { CryptographicAlgorithm, CryptographicParameters, HashingAlgorithm, PaddingMethod } from '../../../crypto/parameters.ts';
import { hashOfHmac } from '../../../crypto/signature/mac.ts';
import { hashOfSignature } from '../../../crypto/signature/signature-scheme.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { type Node, type Structure, TYPE } from '../../../kmip/ttlv/node.ts';
import { codeOf, nameOf, structureOf, wrongType } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { algorithmOf } from './key-attributes.ts';
import type { ManagedObject } from './managed-object.ts';

/** If an object has several CryptographicParameters, only those for the same purpose count. */
export type Purpose = 'encryption' | 'signature' | 'mac';

type Mutable = { -readonly [K in keyof CryptographicParameters]: CryptographicParameters[K] };

const NONE: CryptographicParameters = Object.freeze({});

/** Reads the fields by their names, except for those that no algorithm uses (KeyRoleType). @throws Refusal InvalidMessage, InvalidField */
export function parametersOf(structure: Structure): CryptographicParameters {
  if (structure.value.length === 0) return NONE;
  const found: Mutable = {};
  for (const node of structure.value) read(node, found);
  return found;
}

function read(node: Node, into: Mutable): void {
  switch (node.tag) {
    case TAG.BlockCipherMode:
      into.blockCipherMode = nameOf('BlockCipherMode', code(node));
      break;
    case TAG.PaddingMethod:
      into.paddingMethod = nameOf('PaddingMethod', code(node));
      break;
    case TAG.HashingAlgorithm:
      into.hashingAlgorithm = nameOf('HashingAlgorithm', code(node));
      break;
    case TAG.DigitalSignatureAlgorithm:
      into.digitalSignatureAlgorithm = nameOf('DigitalSignatureAlgorithm', code(node));
      break;
    case TAG.CryptographicAlgorithm:
      into.cryptographicAlgorithm = nameOf('CryptographicAlgorithm', code(node));
      break;
    case TAG.MaskGenerator:
      into.maskGenerator = nameOf('MaskGenerator', code(node));
      break;
    case TAG.MaskGeneratorHashingAlgorithm:
      into.maskGeneratorHashingAlgorithm = nameOf('HashingAlgorithm', code(node));
      break;
    case TAG.RandomIV:
      if (node.type !== TYPE.Boolean) throw wrongType(node, TYPE.Boolean);
      into.randomIv = node.value;
      break;
    case TAG.PSource:
      if (node.type !== TYPE.ByteString) throw wrongType(node, TYPE.ByteString);
      into.pSource = node.value;
      break;
    default: {
      const field = INTEGERS.get(node.tag);
      if (field !== undefined) into[field] = requireWholeNumber(node);
    }
  }
}

const INTEGERS: ReadonlyMap<
  number,
  'ivLength' | 'tagLength' | 'fixedFieldLength' | 'invocationFieldLength' | 'counterLength' | 'initialCounterValue' | 'saltLength' | 'trailerField'
> = new Map([
  [TAG.IVLength, 'ivLength'],
  [TAG.TagLength, 'tagLength'],
  [TAG.FixedFieldLength, 'fixedFieldLength'],
  [TAG.InvocationFieldLength, 'invocationFieldLength'],
  [TAG.CounterLength, 'counterLength'],
  [TAG.InitialCounterValue, 'initialCounterValue'],
  [TAG.SaltLength, 'saltLength'],
  [TAG.TrailerField, 'trailerField'],
]);

function code(node: Node): number {
  if (node.type !== TYPE.Enumeration) throw wrongType(node, TYPE.Enumeration);
  return node.value;
}

function requireWholeNumber(node: Node): number {
  if (node.type !== TYPE.Integer) throw wrongType(node, TYPE.Integer);
  return node.value;
}

/**
 * The parameters of the request. Missing ones come from the first CryptographicParameters of the object that are for this purpose and
 * do not contradict the request; the rest is left to the defaults of the algorithm.
 * @throws Refusal InvalidMessage, InvalidField
 */
export function effectiveParameters(request: Structure, object: ManagedObject, purpose: Purpose): CryptographicParameters {
  const structure = structureOf(request, TAG.CryptographicParameters);
  const own = storedParameters(object);
  if (structure === undefined || structure.value.length === 0) return own.length === 0 ? NONE : (own.find((each) => fits(each, purpose)) ?? NONE);
  const asked = parametersOf(structure);
  if (own.length === 0) return asked;
  const base = own.find((each) => fits(each, purpose) && agrees(each, asked));
  return base === undefined ? asked : { ...base, ...asked };
}

/** Those with the lowest AttributeIndex, which a derivation of KMIP 1.x takes where the request has none (1.4 section 4.6). */
export const firstParameters = (object: ManagedObject): CryptographicParameters => storedParameters(object)[0] ?? NONE;

/** The algorithm of an operation: from the parameters if they name one, otherwise from the key. */
export function effectiveAlgorithm(parameters: CryptographicParameters, object: ManagedObject): CryptographicAlgorithm | undefined {
  return parameters.cryptographicAlgorithm ?? algorithmOf(object);
}

const stored = new WeakMap<ManagedObject, readonly CryptographicParameters[]>();

function storedParameters(object: ManagedObject): readonly CryptographicParameters[] {
  const known = stored.get(object);
  if (known !== undefined) return known;
  const found: CryptographicParameters[] = [];
  for (const { node } of object.attributes.all(TAG.CryptographicParameters)) if (node.type === TYPE.Structure) found.push(parametersOf(node));
  stored.set(object, found);
  return found;
}

const KEYED_MODES: ReadonlySet<string> = new Set(['CMAC', 'CBC_MAC']);
const SIGNATURE_PADDINGS: ReadonlySet<string> = new Set(['PSS', 'X9_31']);

/** Whether parameters of an object are for this purpose. */
export function fits(parameters: CryptographicParameters, purpose: Purpose): boolean {
  const { blockCipherMode: mode, paddingMethod: padding, cryptographicAlgorithm: algorithm, digitalSignatureAlgorithm: signature } = parameters;
  const keyedHash = algorithm?.startsWith('HMAC') === true || (mode !== undefined && KEYED_MODES.has(mode));
  if (purpose === 'encryption') return !keyedHash && signature === undefined && !(padding !== undefined && SIGNATURE_PADDINGS.has(padding));
  if (purpose === 'signature') return !keyedHash && mode === undefined && padding !== 'OAEP';
  return keyedHash || (mode === undefined && padding === undefined && signature === undefined);
}

function agrees(stored: CryptographicParameters, asked: CryptographicParameters): boolean {
  for (const key in asked) {
    const field = key as keyof CryptographicParameters;
    const [a, b] = [stored[field], asked[field]];
    if (a !== undefined && a !== b && !(a instanceof Uint8Array)) return false;
  }
  return isSame(hashIn(stored), hashIn(asked)) && isSame(paddingIn(stored), paddingIn(asked));
}

const isSame = <T>(a: T | undefined, b: T | undefined): boolean => a === undefined || b === undefined || a === b;

/** The hash that the parameters name, by itself or with an algorithm that has no other. */
function hashIn({ digitalSignatureAlgorithm, cryptographicAlgorithm, hashingAlgorithm }: CryptographicParameters): HashingAlgorithm | undefined {
  const signed = digitalSignatureAlgorithm && hashOfSignature(digitalSignatureAlgorithm);
  return signed ?? (cryptographicAlgorithm && hashOfHmac(cryptographicAlgorithm)) ?? hashingAlgorithm;
}

/** Of the algorithms of PKCS#1 v1.5 nothing is said: clients name their hash with them, and PSS as the padding. */
function paddingIn({ digitalSignatureAlgorithm, paddingMethod }: CryptographicParameters): PaddingMethod | undefined {
  return digitalSignatureAlgorithm === 'RSASSA_PSS' ? 'PSS' : paddingMethod;
}

/** Whether parameters name FF1, which takes milliseconds for a long text. */
export function asksForFormat(parameters: Node | undefined): boolean {
  return parameters?.type === TYPE.Structure && codeOf(parameters, TAG.CryptographicAlgorithm) === ENUM.CryptographicAlgorithm.FPE_FF1;
}
