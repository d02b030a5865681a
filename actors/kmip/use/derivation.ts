// The bytes of a derived key, from DerivationParameters and the base objects (KMIP specification 2.1 section 7.12).
import { requireSecret } from '../../../crypto/key/shared-secret.ts';
import type { CryptographicParameters } from '../../../crypto/parameters.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { type Structure, TYPE } from '../../../kmip/ttlv/node.ts';
import { bytesOf, children, enumNameOf, integerOf, required, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Version } from '../../../kmip/version.ts';
import { firstParameters, parametersOf } from '../object/cryptographic-parameters.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import type { KeyUse } from './use-key.ts';

/** @param bases first the key; any secret data after it is the derivation data, which the request must not give as well */
export async function derivedBytes(request: Structure, bases: readonly KeyUse[], length: number, { major }: Version): Promise<Uint8Array> {
  const method = required(enumNameOf(request, TAG.DerivationMethod, 'DerivationMethod'), TAG.DerivationMethod);
  if (method === 'AsymmetricKey') return agreedBytes(bases, length);
  const given = required(structureOf(request, TAG.DerivationParameters), TAG.DerivationParameters);
  const { key, object } = bases[0] as KeyUse;
  const parameters = parametersIn(given, major === 1 ? object : undefined);
  return key.derive({
    method,
    parameters,
    iv: bytesOf(given, TAG.InitializationVector),
    data: await dataOf(given, bases),
    salt: bytesOf(given, TAG.Salt),
    iterationCount: integerOf(given, TAG.IterationCount),
    length,
  });
}

/** Some clients put the hashing algorithm next to CryptographicParameters instead of inside. */
function parametersIn(given: Structure, own: ManagedObject | undefined): CryptographicParameters {
  const inside = structureOf(given, TAG.CryptographicParameters);
  const parameters = inside ? parametersOf(inside) : own ? firstParameters(own) : {};
  const beside = enumNameOf(given, TAG.HashingAlgorithm, 'HashingAlgorithm');
  return parameters.hashingAlgorithm !== undefined || beside === undefined ? parameters : { ...parameters, hashingAlgorithm: beside };
}

async function dataOf(given: Structure, bases: readonly KeyUse[]): Promise<readonly Uint8Array[]> {
  const data: Uint8Array[] = [];
  for (const node of children(given, TAG.DerivationData)) {
    if (node.type !== TYPE.ByteString) throw new Refusal('InvalidMessage', 'DerivationData is not a ByteString');
    data.push(node.value);
  }
  const [, ...others] = bases;
  if (others.length > 0 && data.length > 0) throw new Refusal('InvalidMessage', 'give derivation data in the request or as secret data, not both');
  return others.length > 0 ? Promise.all(others.map(secretOf)) : data;
}

/** @throws Refusal InvalidObjectType unless the object is a symmetric key or secret data */
async function secretOf({ object, key }: KeyUse): Promise<Uint8Array> {
  if (key.kind !== 'secret') throw new Refusal('InvalidObjectType', `a symmetric key or secret data is needed, but ${object.id} is another kind of object`);
  return (await key.material()).export();
}

/** Key agreement of a private key with a public key or certificate. The shared secret is cut to the requested length. */
async function agreedBytes(bases: readonly KeyUse[], length: number): Promise<Uint8Array> {
  const own = bases.find(({ key }) => key.kind === 'private');
  const other = bases.find(({ key }) => key.kind === 'public');
  if (!own || !other || bases.length !== 2) throw new Refusal('InvalidObjectType', 'key agreement needs a private key and a public key or certificate');
  const shared = requireSecret(await own.key.agree(await other.key.publicKey()));
  if (shared.length < length) throw new Refusal('CryptographicFailure', `the key agreement gives ${shared.length} bytes, fewer than the cryptographic length`);
  return new Uint8Array(shared.subarray(0, length));
}
