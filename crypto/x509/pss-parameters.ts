// RSASSA-PSS-params in the algorithm of a signature (RFC 4055 section 3.1): reads and writes them, and chooses those of a new one.
import type { KeyObject } from 'node:crypto';
import { context, DER, type Element, nullElement, oid, readElement, readInside, readOid, readUnsigned, sequence, unsigned } from '../der.ts';
import { digestOf, hashOfOid } from '../digest-name.ts';
import type { CryptographicParameters, HashingAlgorithm } from '../parameters.ts';
import { pssRestrictions } from '../signature/pss-key.ts';

const MGF1 = '1.2.840.113549.1.1.8';
const DEFAULT_HASH = 'SHA_1';
const DEFAULT_SALT = 20;

type Pss = CryptographicParameters & Required<Pick<CryptographicParameters, 'hashingAlgorithm' | 'maskGeneratorHashingAlgorithm' | 'saltLength'>>;

/** @returns undefined for a hash or mask generator that is not supported @throws CryptoError invalid */
export function readPss(parameters: Element | undefined, what: string): Pss | undefined {
  const members = readInside(parameters, DER.sequence, what);
  const member = (number: number): Element | undefined => {
    const found = members.find(({ tag }) => tag === (0xa0 | number));
    return found === undefined ? undefined : readElement(found.content, what);
  };
  const hashOf = (identifier: Element | undefined): HashingAlgorithm | undefined =>
    identifier === undefined ? DEFAULT_HASH : hashOfOid(readOid(readInside(identifier, DER.sequence, what)[0], what));
  const [mask, maskHash] = member(1) === undefined ? [] : readInside(member(1), DER.sequence, what);
  const hashingAlgorithm = hashOf(member(0));
  const maskGeneratorHashingAlgorithm = hashOf(maskHash);
  if (hashingAlgorithm === undefined || maskGeneratorHashingAlgorithm === undefined || (mask !== undefined && readOid(mask, what) !== MGF1)) return undefined;
  const salt = member(2);
  const saltLength = salt === undefined ? DEFAULT_SALT : Number(readUnsigned(salt, what));
  return { paddingMethod: 'PSS', hashingAlgorithm, maskGeneratorHashingAlgorithm, saltLength };
}

const identifier = (hash: HashingAlgorithm): Buffer => sequence(oid(digestOf(hash).oid), nullElement());

/** DER leaves out what has its default. */
export function writePss({ hashingAlgorithm: hash, maskGeneratorHashingAlgorithm: maskHash, saltLength }: Pss): Buffer {
  return sequence(
    ...(hash === DEFAULT_HASH ? [] : [context(0, identifier(hash))]),
    ...(maskHash === DEFAULT_HASH ? [] : [context(1, sequence(oid(MGF1), identifier(maskHash)))]),
    ...(saltLength === DEFAULT_SALT ? [] : [context(2, unsigned(BigInt(saltLength)))]),
  );
}

/** Those of a key for PSS only, as far as it has any: otherwise SHA-256, and a salt as long as the hash. */
export function pssFor(key: KeyObject): Pss {
  const own = pssRestrictions(key);
  const hashingAlgorithm = own?.hash ?? 'SHA_256';
  const saltLength = Math.max(own?.saltLength ?? 0, digestOf(hashingAlgorithm).length);
  return { paddingMethod: 'PSS', hashingAlgorithm, maskGeneratorHashingAlgorithm: own?.maskHash ?? hashingAlgorithm, saltLength };
}
