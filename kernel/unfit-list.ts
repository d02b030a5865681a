// Tells the revocation lists that OpenSSL does not use, however intact they are, by their extensions (RFC 5280 section 5.2).
import { elementsIn, INTEGER, signedFields } from './der.ts';

const EXTENSIONS = 0xa0;
const NONE = Buffer.alloc(0);
/** Contents of the object identifiers 2.5.29.27 and 2.5.29.28. */
const [DELTA_CRL_INDICATOR, ISSUING_DISTRIBUTION_POINT] = ['551d1b', '551d1c'];
/** Members of IssuingDistributionPoint (section 5.2.5). With those for users or authorities only, and with a distribution point, OpenSSL serves the certificates that fit. */
const SCOPES: Readonly<Record<number, string>> = {
  131: 'is for some reasons of revocation only',
  132: 'is an indirect one, which also names certificates of other authorities',
  133: 'is for attribute certificates only',
};

/** @param der of a list @returns why it cannot be used; undefined also for one that is damaged, which its reader tells */
export function unfitList(der: Buffer): string | undefined {
  try {
    return unfitFor(extensionsOf(der));
  } catch {
    return undefined;
  }
}

function unfitFor(extensions: ReadonlyMap<string, Buffer>): string | undefined {
  // OpenSSL passes over lists of changes without a word, so what they revoke would be accepted.
  if (extensions.has(DELTA_CRL_INDICATOR)) return 'is a delta list, which names only changes: give the complete list';
  const point = extensions.get(ISSUING_DISTRIBUTION_POINT);
  const scope = (point ? elementsIn(elementsIn(point)[0]?.content ?? point) : []).flatMap(({ tag }) => SCOPES[tag] ?? [])[0];
  // It would be as if there were none, and all certificates of its issuer refused.
  return scope && `${scope}: give the complete list of one authority`;
}

/** By their object identifiers: the contents of their values. */
function extensionsOf(der: Buffer): ReadonlyMap<string, Buffer> {
  const wrapped = signedFields(der, INTEGER).find(({ tag }) => tag === EXTENSIONS);
  const each = elementsIn(elementsIn(wrapped?.content ?? NONE)[0]?.content ?? NONE).map(({ content }) => elementsIn(content));
  return new Map(each.map((parts) => [parts[0]?.content.toString('hex') ?? '', parts.at(-1)?.content ?? NONE]));
}
