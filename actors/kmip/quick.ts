// What the key server does beside its callers: operations that write nothing, and keys whose every use takes less than some 100 us.
import { ELSEWHERE } from '../../kernel/actor.ts';
import type { OperationName } from '../../kmip/operation-name.ts';
import type { Key, KeyKind } from './object/key.ts';
import { softwareKeys } from './object/software-key/software-key.ts';
import type { Operations } from './operation.ts';

/** Searches, new keys, whatever changes an object or takes a certificate apart is not among them. */
const QUICK: ReadonlySet<OperationName> = new Set([
  ...(['Encrypt', 'Decrypt', 'Sign', 'SignatureVerify', 'MAC', 'MACVerify', 'Hash'] satisfies OperationName[]),
  ...(['Get', 'GetAttributes', 'GetAttributeList', 'DiscoverVersions', 'Query'] satisfies OperationName[]),
]);

/** Those of other operations leave the call to the actor, before anything of it is done. */
export function quickOperations(all: Operations): Operations {
  const entries = Object.entries(all).map(([name, operation]) => [name, QUICK.has(operation.name) ? operation : { ...operation, run: leave }] as const);
  return Object.fromEntries(entries);
}

const leave = (): never => {
  throw ELSEWHERE;
};

/** Software keys that are quick: the others are the actor's. */
export const quickKeys: KeyKind = {
  holds: softwareKeys.holds,
  open(object, ctx) {
    const key = softwareKeys.open(object, ctx);
    return isQuick(key) ? key : leave();
  },
};

/** The private operations of RSA, the curves that OpenSSL has no fast code for, and post-quantum algorithms are not. */
function isQuick(key: Key): boolean {
  if (key.kind === 'secret' || key.kind === undefined) return true;
  if (key.algorithm === 'RSA') return key.kind === 'public';
  return key.algorithm === 'Ed25519' || key.curve === 'P_256' || key.curve === 'CURVE25519';
}
