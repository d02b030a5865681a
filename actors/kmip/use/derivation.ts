// The bytes of a derived key, from DerivationParameters and the objects to derive from (KMIP specification 2.1 section 7.12).
import { type DerivationInput, derive, derivePbkdf2 } from '../../../crypto/key/derive.ts';
import { agree } from '../../../crypto/key/key-agreement.ts';
import type { CryptographicParameters } from '../../../crypto/parameters.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { type Structure, TYPE } from '../../../kmip/ttlv/node.ts';
import { bytesOf, children, integerOf, named, required, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { parametersOf } from '../object/cryptographic-parameters.ts';
import { algorithmOf, asymmetricKey, secretBytes } from '../object/key-material.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import type { OperationContext } from '../operation-context.ts';

const { ObjectType } = ENUM;

/** @param bases the key first; secret data after it is derivation data that the request does not give itself */
export async function derivedBytes({ aside }: OperationContext, request: Structure, bases: readonly ManagedObject[], length: number): Promise<Uint8Array> {
  const method = required(named(request, TAG.DerivationMethod, 'DerivationMethod'), TAG.DerivationMethod);
  if (method === 'AsymmetricKey') return agreedBytes(bases, length);
  const given = required(structureOf(request, TAG.DerivationParameters), TAG.DerivationParameters);
  const parameters = parametersIn(given);
  const key = bases[0] as ManagedObject;
  const input: DerivationInput = {
    key: secretBytes(key),
    keyAlgorithm: algorithmOf(key),
    parameters,
    iv: bytesOf(given, TAG.InitializationVector),
    data: dataOf(given, bases),
    salt: bytesOf(given, TAG.Salt),
    iterationCount: integerOf(given, TAG.IterationCount),
    length,
  };
  // A derived key is kept: it must not share memory with a larger result.
  return new Uint8Array(method === 'PBKDF2' ? await aside(() => derivePbkdf2(input)) : derive(method, input));
}

/** Some clients put the hashing algorithm beside CryptographicParameters, not into them. */
function parametersIn(given: Structure): CryptographicParameters {
  const inside = structureOf(given, TAG.CryptographicParameters);
  const parameters = inside ? parametersOf(inside) : {};
  const beside = named(given, TAG.HashingAlgorithm, 'HashingAlgorithm');
  return parameters.hashingAlgorithm !== undefined || beside === undefined ? parameters : { ...parameters, hashingAlgorithm: beside };
}

function dataOf(given: Structure, bases: readonly ManagedObject[]): readonly Uint8Array[] {
  const data: Uint8Array[] = [];
  for (const node of children(given, TAG.DerivationData)) {
    if (node.type !== TYPE.ByteString) throw new Refusal('InvalidMessage', 'DerivationData is not a ByteString');
    data.push(node.value);
  }
  const [, ...others] = bases;
  if (others.length > 0 && data.length > 0)
    throw new Refusal('InvalidField', 'derivation data is given in the request and by secret data: one of them is needed');
  return others.length > 0 ? others.map(secretBytes) : data;
}

/** Key agreement of a private key with a public key or certificate. The shared secret is cut to the length asked for. */
function agreedBytes(bases: readonly ManagedObject[], length: number): Uint8Array {
  const own = bases.find(({ type }) => type === ObjectType.PrivateKey);
  const other = bases.find(({ type }) => type === ObjectType.PublicKey || type === ObjectType.Certificate);
  if (!own || !other || bases.length !== 2) throw new Refusal('InvalidObjectType', 'key agreement takes a private key and a public key or certificate');
  const shared = agree(asymmetricKey(own), asymmetricKey(other));
  if (shared.length < length) throw new Refusal('InvalidField', `the key agreement gives ${shared.length} bytes, fewer than the cryptographic length`);
  return new Uint8Array(shared.subarray(0, length));
}
