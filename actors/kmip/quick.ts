// What the key server does in the threads of its callers: operations that write nothing, with keys that take less than about 100 us for each use.
import { ELSEWHERE } from '../../kernel/actor.ts';
import type { OperationName } from '../../kmip/operation-name.ts';
import type { Key, KeyKind } from './object/key.ts';
import { softwareKeys } from './object/software-key/software-key.ts';
import type { Operations } from './operation.ts';

/** Not included: searches, key generation, changes of objects, and operations that parse certificates. */
const QUICK: ReadonlySet<OperationName> = new Set([
  ...(['Encrypt', 'Decrypt', 'Sign', 'SignatureVerify', 'MAC', 'MACVerify', 'Hash'] satisfies OperationName[]),
  ...(['Get', 'GetAttributes', 'GetAttributeList', 'DiscoverVersions', 'Query'] satisfies OperationName[]),
]);

/** All other operations leave the call to the actor before they do anything. */
export function quickOperations(all: Operations): Operations {
  const entries = Object.entries(all).map(([name, operation]) => [name, QUICK.has(operation.name) ? operation : { ...operation, run: leave }] as const);
  return Object.fromEntries(entries);
}

const leave = (): never => {
  throw ELSEWHERE;
};

/** The software keys that are quick; all others are left to the actor. */
export const quickKeys: KeyKind = {
  holds: softwareKeys.holds,
  open(object, ctx) {
    const key = softwareKeys.open(object, ctx);
    return isQuick(key) ? key : leave();
  },
};

/** Not quick: private RSA operations, curves for which OpenSSL has no fast code, and post-quantum algorithms. */
function isQuick(key: Key): boolean {
  if (key.kind === 'secret' || key.kind === undefined) return true;
  if (key.algorithm === 'RSA') return key.kind === 'public';
  return key.algorithm === 'Ed25519' || key.curve === 'P_256' || key.curve === 'CURVE25519';
}
