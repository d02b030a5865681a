// Decides whether the certificate policies of a chain hold, where every policy is acceptable (RFC 5280 sections 6.1.2 to 6.1.5, with the sets of RFC 9618).
import { CryptoError } from '../crypto-error.ts';
import { contentOf, DER, type Element, readElement, readInside, readUnsigned } from '../der.ts';
import { EXTENSION } from './certificate-extension.ts';
import { type CertificateFacts, isSelfIssued } from './certificate-facts.ts';

const WHAT = 'the policies of a certificate';
/** The content of the object identifier 2.5.29.32.0. */
const ANY = '551d2000';
/** Maximum number of bytes of an extension, some hundred policies: each is compared with those above, which must not take long. */
const MAX_BYTES = 16_384;
const REQUIRE_EXPLICIT = 0x80;
const INHIBIT_MAPPING = 0x81;

/** The policies that all certificates so far have, each with those that the next certificate may name in its place. */
type Policies = ReadonlyMap<string, ReadonlySet<string>>;

/** After how many further certificates a restriction begins; zero if it is in force. */
interface Left {
  /** There must be a policy that all certificates have. */
  explicit: number;
  /** No policy stands for another one. */
  mapping: number;
  /** anyPolicy stands for no other policy. */
  any: number;
}

/** @param chain from the leaf to the root; restrictions of the root count, its policies do not @throws CryptoError invalid */
export function requirePolicies(chain: readonly CertificateFacts[]): void {
  const [root, ...path] = chain.toReversed();
  if (root === undefined) return;
  const never = path.length + 1;
  const left: Left = { explicit: never, mapping: never, any: never };
  restrict(left, root);
  let policies: Policies = new Map([[ANY, new Set([ANY])]]);
  for (const [at, certificate] of path.entries()) {
    const isLast = at === path.length - 1;
    policies = named(certificate, policies, left.any > 0 || (!isLast && isSelfIssued(certificate)));
    if (isLast) left.explicit = constraintOf(certificate, REQUIRE_EXPLICIT) === 0 ? 0 : Math.max(0, left.explicit - 1);
    if (left.explicit === 0 && policies.size === 0)
      throw new CryptoError('invalid', 'the certificates have no policy in common, and an authority requires one');
    if (isLast) return;
    policies = mapped(certificate, policies, left.mapping > 0);
    if (!isSelfIssued(certificate)) countDown(left);
    restrict(left, certificate);
  }
}

function countDown(left: Left): void {
  for (const key of ['explicit', 'mapping', 'any'] as const) left[key] = Math.max(0, left[key] - 1);
}

function restrict(left: Left, certificate: CertificateFacts): void {
  left.explicit = Math.min(left.explicit, constraintOf(certificate, REQUIRE_EXPLICIT));
  left.mapping = Math.min(left.mapping, constraintOf(certificate, INHIBIT_MAPPING));
  const inhibited = extensionOf(certificate, EXTENSION.inhibitAnyPolicy);
  if (inhibited !== undefined) left.any = Math.min(left.any, Number(readUnsigned(inhibited, WHAT)));
}

/** The policies that the certificate has too. @param above those of the certificates above it */
function named(certificate: CertificateFacts, above: Policies, mayBeAny: boolean): Policies {
  const expected = new Set([...above.values()].flatMap((each) => [...each]));
  const own = membersOf(certificate, EXTENSION.certificatePolicies).map(([policy]) => identifier(policy));
  const policies = new Map<string, ReadonlySet<string>>();
  for (const policy of own) if (policy !== ANY && (expected.has(policy) || above.has(ANY))) policies.set(policy, new Set([policy]));
  if (mayBeAny && own.includes(ANY)) for (const policy of expected) policies.set(policy, new Set([policy]));
  return policies;
}

/** What the certificate below may name: that for which a policy of this authority stands. */
function mapped(certificate: CertificateFacts, policies: Policies, mayMap: boolean): Policies {
  const mappings = new Map<string, Set<string>>();
  for (const pair of membersOf(certificate, EXTENSION.policyMappings)) {
    const [ofIssuer, ofSubject] = [identifier(pair[0]), identifier(pair[1])];
    if (ofIssuer === ANY || ofSubject === ANY) throw new CryptoError('invalid', 'an authority maps anyPolicy, which stands for no policy of its own');
    mappings.set(ofIssuer, (mappings.get(ofIssuer) ?? new Set()).add(ofSubject));
  }
  const next = new Map(policies);
  for (const [ofIssuer, ofSubject] of mappings) {
    if (!mayMap) next.delete(ofIssuer);
    else if (policies.has(ofIssuer) || policies.has(ANY)) next.set(ofIssuer, ofSubject);
  }
  return next;
}

const identifier = (each: Element | undefined): string => contentOf(each, DER.oid, WHAT).toString('hex');

/** @returns the number of certificates after which the constraint begins; infinite without one */
function constraintOf(certificate: CertificateFacts, tag: number): number {
  const constraints = extensionOf(certificate, EXTENSION.policyConstraints);
  const found = constraints && readInside(constraints, DER.sequence, WHAT).find((each) => each.tag === tag);
  return found ? Number(readUnsigned({ ...found, tag: DER.integer }, WHAT)) : Number.POSITIVE_INFINITY;
}

/** The members of an extension that is a sequence of sequences. */
function membersOf(certificate: CertificateFacts, oid: string): Element[][] {
  const value = extensionOf(certificate, oid);
  return value ? readInside(value, DER.sequence, WHAT).map((each) => readInside(each, DER.sequence, WHAT)) : [];
}

function extensionOf({ extensions }: CertificateFacts, oid: string): Element | undefined {
  const extension = extensions.find((each) => each.oid === oid);
  if (extension && extension.value.length > MAX_BYTES) throw new CryptoError('invalid', `${WHAT} are longer than ${MAX_BYTES} bytes`);
  return extension && readElement(extension.value, WHAT);
}
