// Checks that the bytes of a new key have the key format that was declared: OpenSSL reads others too, and whoever gets the key would be told the wrong one.
import { DER, readElement, readInside, readUnsigned } from '../../crypto/der.ts';
import { Refusal } from '../refusal.ts';
import type { KeyFormatType } from './key-format-type.ts';
import type { Kind } from './transparent-key.ts';

const WHAT = 'KeyMaterial';
const { integer, sequence, octets, bits } = DER;

/** How the sequence begins. `whole`: it has no further members. */
interface Shape {
  readonly tags: readonly number[];
  readonly whole: boolean;
  /** The values that the first member, the version, can have. */
  readonly versions?: readonly bigint[];
}

const SPKI: Shape = { tags: [sequence, bits], whole: true };

/** RFC 8017 appendix A.1, RFC 5958 section 2, RFC 5915 section 3, RFC 5280 section 4.1. */
const SHAPES: Readonly<Record<Kind, Partial<Record<KeyFormatType, Shape>>>> = {
  PrivateKey: {
    PKCS_1: { tags: new Array(9).fill(integer), whole: true, versions: [0n] },
    PKCS_8: { tags: [integer, sequence, octets], whole: false, versions: [0n, 1n] },
    ECPrivateKey: { tags: [integer, octets], whole: false, versions: [1n] },
  },
  PublicKey: { PKCS_1: { tags: [integer, integer], whole: true }, PKCS_8: SPKI, X_509: SPKI },
};

/**
 * Formats without DER pass. Bytes behind the key, which OpenSSL passes over, do not.
 * @param material of a key that has been read in this format
 * @throws Refusal InvalidField, CryptoError invalid
 */
export function requireDeclaredFormat(kind: Kind, format: KeyFormatType, isRsa: boolean, material: Uint8Array): void {
  const shape = SHAPES[kind][format === 'Raw' && isRsa ? 'PKCS_1' : format];
  if (shape === undefined) return;
  const members = readInside(readElement(material, WHAT), sequence, WHAT);
  const isLike = ({ tags, whole }: Shape) => tags.every((tag, at) => members[at]?.tag === tag) && (!whole || members.length === tags.length);
  if (isLike(shape)) {
    if (shape.versions?.includes(readUnsigned(members[0], WHAT)) === false)
      throw new Refusal('InvalidField', `${WHAT}: the version of the ${format} structure must be ${shape.versions.join(' or ')}`);
    return;
  }
  const own = Object.entries(SHAPES.PrivateKey).find(([, each]) => isLike(each))?.[0];
  const what =
    kind === 'PublicKey' && own !== undefined ? 'they are a private key, which must not be given out as a public one' : `they are ${own ?? 'something else'}`;
  throw new Refusal('InvalidField', `${WHAT}: these bytes are not a ${kind} in the format ${format}: ${what}`);
}
