// Validate: tells whether given or stored certificates form a valid chain at a point in time (KMIP 2.1 section 6.1.57).
import { validateChain } from '../../../crypto/x509/certificate-chain.ts';
import { certificateFacts, isSelfIssued } from '../../../crypto/x509/certificate-facts.ts';
import { refusalOf } from '../../../kmip/crypto-refusal.ts';
import { payloadMembers } from '../../../kmip/message/payload-members.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { secondsOf } from '../../../kmip/ttlv/date-time.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { enumeration, type Node, type Structure, TYPE } from '../../../kmip/ttlv/node.ts';
import { child, children, dateOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { requireKind } from '../certificate/issuer.ts';
import { linkedTo } from '../object/create.ts';
import { oneOf, requireNoExpectation } from '../object/finding/expected-type.ts';
import { certificateOf, derOf } from '../object/forms/certificate-content.ts';
import { requireOnLine } from '../object/life/availability.ts';
import { dateAttribute, stateAt } from '../object/life/lifecycle.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

const { ObjectType, State, ValidityIndicator } = ENUM;
/** Limited because every certificate may be checked against every other one. */
const MAX_CERTIFICATES = 20;
const GENERALIZED_TIME = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/;

export const validate = {
  name: 'Validate',
  members: payloadMembers(['ExpectedObjectType', 'ValidityDate'], ['Certificate', 'UniqueIdentifier']),
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const stored = await storedIn(request, ctx);
  const given = children(request, TAG.Certificate).map((node) => {
    if (node.type !== TYPE.Structure) throw new Refusal('InvalidMessage', 'Certificate is not a Structure');
    return derOf(node);
  });
  if (stored.length + given.length > MAX_CERTIFICATES) throw new Refusal('InvalidField', `a chain can have at most ${MAX_CERTIFICATES} certificates`);
  // Given certificates may include the issuers, so stored issuers are added only if none are given.
  if (given.length === 0) await addIssuers(stored, ctx);
  const at = validityDate(request) ?? ctx.now;
  const indicator = stored.some((object) => isWithdrawn(object, at)) ? 'Invalid' : verdict(stored, given, at);
  return [enumeration(TAG.ValidityIndicator, ValidityIndicator[indicator])];
}

/**
 * Seconds since the epoch. Some clients send a text: RFC 3339 or a GeneralizedTime of ASN.1.
 * @throws Refusal InvalidField for a text that is neither
 */
function validityDate(request: Structure): number | undefined {
  const given = child(request, TAG.ValidityDate);
  if (given?.type !== TYPE.TextString) return dateOf(request, TAG.ValidityDate);
  const seconds = secondsOf(given.value.replace(GENERALIZED_TIME, '$1-$2-$3T$4:$5:$6Z'));
  if (seconds === undefined) throw new Refusal('InvalidField', 'ValidityDate must be a DateTime or a text such as 2030-01-31T12:00:00Z or 20300131120000Z');
  return Number(seconds);
}

async function storedIn(request: Structure, ctx: OperationContext): Promise<ManagedObject[]> {
  const named = children(request, TAG.UniqueIdentifier).map((node) => oneOf(request, node));
  // If the request names no certificate, it means the one that the batch has created.
  if (named.length === 0) {
    if (children(request, TAG.Certificate).length > 0) requireNoExpectation(request);
    // Specification 1.4 table 351.
    else if (ctx.batch.placeholder === undefined) throw new Refusal('InvalidMessage', 'no certificate is given: send Certificate or UniqueIdentifier');
    else named.push(request);
  }
  const stored: ManagedObject[] = [];
  for (const payload of named) {
    const object = await ctx.use(payload, 'Validate');
    requireKind(object, ObjectType.Certificate, 'Validate');
    requireOnLine(object);
    if (!object.content) throw new Refusal('ObjectNotFound', `object not found for identifier ${object.id}: it is destroyed`);
    stored.push(object);
  }
  return stored;
}

/** Follows the links to issuers. Issuers that were destroyed or that the caller may not use stay out of the chain. */
async function addIssuers(stored: ManagedObject[], ctx: OperationContext): Promise<void> {
  for (const object of stored) {
    const id = linkedTo(object, 'CertificateLink');
    if (id === undefined || stored.length >= MAX_CERTIFICATES || stored.some((other) => other.id === id) || isOwnIssuer(object)) continue;
    try {
      const issuer = await ctx.byId(id, 'Validate');
      if (issuer.type === ObjectType.Certificate && issuer.content && !issuer.archived) stored.push(issuer);
    } catch (error) {
      if (!refusalOf(error)) throw error;
    }
  }
}

/** A root that was recertified may have a link to its own predecessor, but it still ends the chain. */
const isOwnIssuer = (object: ManagedObject): boolean => isSelfIssued(certificateFacts(certificateOf(object)));

/**
 * Revoked by then, or past its DeactivationDate. One that is compromised now is at no time what it says: nobody knows since when others have the key.
 * PreActive says nothing about a certificate.
 */
function isWithdrawn(object: ManagedObject, at: number): boolean {
  const state = stateAt(object, at);
  if (state !== State.Deactivated) return state !== State.PreActive && state !== State.Active;
  const end = dateAttribute(object.attributes, TAG.DeactivationDate);
  return end === undefined || end <= at;
}

function verdict(stored: readonly ManagedObject[], given: readonly Uint8Array[], at: number): keyof typeof ValidityIndicator {
  const { valid, incomplete } = validateChain([...stored.map(certificateOf), ...given], at);
  return valid ? 'Valid' : incomplete ? 'Unknown' : 'Invalid';
}
