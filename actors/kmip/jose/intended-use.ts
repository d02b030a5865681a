// What a JSON Web Key says that it is for: `use` and `key_ops` (RFC 7517 sections 4.2 and 4.3). They narrow the usage masks that `alg` and `kty` give.
import { bitsOf, type KeyPurpose, PASSIVE, USES } from '../../../jose/key-purpose.ts';
import { type Members, optionalText, optionalTexts } from './members.ts';
import { badRequest } from './problem.ts';

const MAX_OPERATIONS = 64;

/** @throws Problem bad_request if the members are malformed, or leave nothing that a secret key could do */
export function secretFor(body: Members, purpose: KeyPurpose): KeyPurpose {
  const allowed = allowedBits(body, operationsIn(body));
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
  const own = allowedBits(body, operations);
  // Nobody derives a key with the public half alone: the Web Cryptography API exports it with no operation at all.
  const passive = operations?.length === 0 ? PASSIVE & allowedBits(body, undefined) : 0;
  const privateMask = purpose.privateMask & own;
  const publicMask = purpose.publicMask & (own | passive | (isWhole ? allowedBits(body, operations?.flatMap(counterparts)) : 0));
  if ((isWhole ? privateMask : publicMask) === 0) throw nothingLeft();
  return { ...purpose, privateMask, publicMask };
}

const COUNTERPART: Readonly<Record<string, string>> = { sign: 'verify', decrypt: 'encrypt', unwrapKey: 'wrapKey' };

const counterparts = (operation: string): string[] => (Object.hasOwn(COUNTERPART, operation) ? [COUNTERPART[operation] as string] : []);

/** Values of both members that are not registered are ignored. */
function allowedBits(body: Members, operations: readonly string[] | undefined): number {
  const use = optionalText(body, 'use');
  const byUse = use === undefined ? undefined : USES.get(use);
  return (byUse ?? -1) & (operations === undefined ? -1 : operations.reduce((mask, each) => mask | bitsOf(each), 0));
}

function operationsIn(body: Members): readonly string[] | undefined {
  const operations = optionalTexts(body, 'key_ops');
  if (operations === undefined) return undefined;
  if (operations.length > MAX_OPERATIONS) throw badRequest(`key_ops has more than ${MAX_OPERATIONS} entries`);
  if (new Set(operations).size !== operations.length) throw badRequest('key_ops names an operation twice');
  return operations;
}

const nothingLeft = () => badRequest('use and key_ops leave nothing that a key of this kty and alg can do');
