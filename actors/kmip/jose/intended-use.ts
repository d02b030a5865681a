// The intended use of a JSON Web Key: `use` and `key_ops` (RFC 7517 sections 4.2 and 4.3) narrow the usage masks that `alg` and `kty` give.
import { bitsOf, type KeyPurpose, PASSIVE, USES } from '../../../jose/key-purpose.ts';
import { type Members, optionalText, optionalTexts } from './members.ts';
import { badRequest } from './problem.ts';

const MAX_OPERATIONS = 64;

/** @throws Problem bad_request if the members are malformed, or leave nothing that a secret key could do */
export function secretFor(body: Members, purpose: KeyPurpose): KeyPurpose {
  const allowed = maskOf(operationsIn(body)) & usesIn(body);
  const narrowed = { ...purpose, privateMask: purpose.privateMask & allowed, publicMask: purpose.publicMask & allowed };
  if ((narrowed.privateMask | narrowed.publicMask) === 0) throw nothingLeft();
  return narrowed;
}

/**
 * The members of a private key are about that half, so the public half may do the counterpart.
 * @param isWhole whether there is a private key
 * @throws Problem bad_request if the members are malformed, or leave nothing that the key could do
 */
export function pairFor(body: Members, purpose: KeyPurpose, isWhole: boolean): KeyPurpose {
  const operations = operationsIn(body);
  const uses = usesIn(body);
  const own = maskOf(operations);
  const counterpart = isWhole ? maskOf(operations?.flatMap(counterparts)) : 0;
  // Nobody derives a key with the public half alone: the Web Cryptography API exports it with no operation at all.
  const passive = operations?.length === 0 ? PASSIVE : 0;
  const privateMask = purpose.privateMask & uses & own;
  const publicMask = purpose.publicMask & uses & (own | counterpart | passive);
  if ((isWhole ? privateMask : publicMask) === 0) throw nothingLeft();
  return { ...purpose, privateMask, publicMask };
}

const COUNTERPART: Readonly<Record<string, string>> = { sign: 'verify', decrypt: 'encrypt', unwrapKey: 'wrapKey' };

const counterparts = (operation: string): string[] => (Object.hasOwn(COUNTERPART, operation) ? [COUNTERPART[operation] as string] : []);

const EVERYTHING = -1;

/** A value that is not registered is ignored. */
function usesIn(body: Members): number {
  return USES.get(optionalText(body, 'use') ?? '') ?? EVERYTHING;
}

/** Values that are not registered are ignored. */
function maskOf(operations: readonly string[] | undefined): number {
  return operations === undefined ? EVERYTHING : operations.reduce((mask, each) => mask | bitsOf(each), 0);
}

function operationsIn(body: Members): readonly string[] | undefined {
  const operations = optionalTexts(body, 'key_ops');
  if (operations === undefined) return undefined;
  if (operations.length > MAX_OPERATIONS) throw badRequest(`key_ops has more than ${MAX_OPERATIONS} entries`);
  if (new Set(operations).size !== operations.length) throw badRequest('key_ops names an operation twice');
  return operations;
}

const nothingLeft = () => badRequest('use and key_ops leave nothing that a key of this kty and alg can do');
