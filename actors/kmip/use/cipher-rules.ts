// Rules that Encrypt and Decrypt share: the algorithm, missing fields, and the place of the tag.
import type { CryptographicAlgorithm, CryptographicParameters } from '../../../crypto/parameters.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { tagName } from '../../../kmip/ttlv/names.ts';
import type { Structure } from '../../../kmip/ttlv/node.ts';
import { bytesOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Version } from '../../../kmip/version.ts';
import { effectiveAlgorithm } from '../object/cryptographic-parameters.ts';
import type { CipherFacts, Key } from '../object/key.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import type { OperationContext } from '../operation-context.ts';

/** @throws Refusal BadCryptographicParameters, UnsupportedCryptographicParameters */
export function cipherAlgorithm(ctx: OperationContext, parameters: CryptographicParameters, object: ManagedObject): CryptographicAlgorithm {
  const algorithm = effectiveAlgorithm(parameters, object);
  if (algorithm === undefined) throw new Refusal('BadCryptographicParameters', `neither the parameters nor ${object.id} names a cryptographic algorithm`);
  const { algorithms } = ctx.server.args;
  if (algorithms.length > 0 && !algorithms.includes(algorithm))
    throw new Refusal('UnsupportedCryptographicParameters', `${algorithm} is not supported: it is switched off on this server`);
  return algorithm;
}

const OF_AUTHENTICATION = [TAG.AuthenticatedEncryptionAdditionalData, TAG.AuthenticatedEncryptionTag] as const;

const givenOf = (request: Structure): number | undefined => OF_AUTHENTICATION.find((tag) => bytesOf(request, tag)?.length);

/** @throws Refusal InvalidField, because the client would otherwise believe that its data was authenticated */
export function requireAuthenticated(request: Structure, { name, authenticated }: Pick<CipherFacts, 'name' | 'authenticated'>): void {
  const given = authenticated ? undefined : givenOf(request);
  if (given !== undefined) throw new Refusal('InvalidField', `${name} does not authenticate data; leave out ${tagName(given)}`);
}

/**
 * As requireAuthenticated, for a key of a pair. Its cipher is asked for only if that matters, because tokens may do without the mechanism of a padding.
 * @throws Refusal InvalidField
 */
export function requirePairAuthenticates(request: Structure, key: Key, parameters: CryptographicParameters): void {
  if (givenOf(request) !== undefined) requireAuthenticated(request, key.cipher({ algorithm: undefined, parameters }));
}

/** AuthenticatedEncryptionTag came with KMIP 1.4; in earlier versions the data ends with the tag. */
export function tagInData({ major, minor }: Version): boolean {
  return major === 1 && minor < 4;
}

export function noData(verb: string): Refusal {
  return new Refusal('InvalidMessage', `there is no data to ${verb}: missing field: Data`);
}

export function noParts(what: string): Refusal {
  return new Refusal('UnsupportedCryptographicParameters', `multi-part operations are not supported with ${what}; send all data in one request`);
}
