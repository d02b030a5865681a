// What the server says of how it has made an object: when, and with which random number generator (KMIP specification 2.1 sections 4.38 and 4.46).
import { type AttributeSet, sameNode } from '../../../../kmip/attribute/set.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { dateTime, enumeration, integer, type Node, type Structure, structure, TYPE } from '../../../../kmip/ttlv/node.ts';
import { codeOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';

const { RNGAlgorithm } = ENUM;

/** That of node:crypto, which is OpenSSL's (NIST SP 800-90A). Query tells it too. */
export const OWN_GENERATOR: readonly Node[] = [
  enumeration(TAG.RNGAlgorithm, RNGAlgorithm.DRBG),
  enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.AES),
  integer(TAG.CryptographicLength, 256),
  enumeration(TAG.DRBGAlgorithm, ENUM.DRBGAlgorithm.CTR),
];
const OWN = structure(TAG.RandomNumberGenerator, OWN_GENERATOR);

/** Nobody knows what a token draws its keys from. */
const OF_TOKEN = structure(TAG.RandomNumberGenerator, [enumeration(TAG.RNGAlgorithm, RNGAlgorithm.Unspecified)]);

interface Making {
  /** Seconds since the epoch. */
  readonly now: number;
  /** A token has made the key. */
  readonly isKept: boolean;
}

/**
 * @param attributes of the request
 * @throws Refusal InvalidAttributeValue if they demand another generator, or another date than the InitialDate
 */
export function describeOrigin(attributes: AttributeSet, { now, isKept }: Making): void {
  const generator = isKept ? OF_TOKEN : OWN;
  const asked = attributes.first(TAG.RandomNumberGenerator);
  if (asked?.type === TYPE.Structure && !isMet(asked, generator))
    throw new Refusal('InvalidAttributeValue', 'this RandomNumberGenerator is not that of the server, which Query tells: leave it out');
  attributes.set(generator);
  const given = attributes.first(TAG.OriginalCreationDate);
  if (given && given.value !== now)
    throw new Refusal('InvalidAttributeValue', 'the server sets OriginalCreationDate of what it makes itself: leave it out, or register the object');
  attributes.set(dateTime(TAG.OriginalCreationDate, now));
}

/** What is not said is not demanded, and Unspecified demands nothing. */
function isMet(asked: Structure, generator: Structure): boolean {
  if (codeOf(asked, TAG.RNGAlgorithm) === RNGAlgorithm.Unspecified) return true;
  return asked.value.every((member) => generator.value.some((own) => sameNode(own, member)));
}
