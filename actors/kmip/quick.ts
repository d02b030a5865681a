// What the key server does beside its callers: operations that write nothing, on small objects, with keys whose every use takes less than some 100 us.
import { andThen } from '../../kernel/at-once.ts';
import type { Reader } from '../../kernel/store/store.ts';
import type { OperationName } from '../../kmip/operation-name.ts';
import { ENUM } from '../../kmip/ttlv/enumeration.ts';
import { codeOf, structureOf } from '../../kmip/ttlv/read.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import { leave, leaveWrite } from './leave.ts';
import { asksForFormat } from './object/cryptographic-parameters.ts';
import type { ObjectSource } from './object/object-source.ts';
import type { Held } from './object/rows/cache.ts';
import type { Operation, Operations } from './operation.ts';

/** Bytes of an object with its attributes. */
const MAX_OBJECT_BYTES = 65_536;
/** They are read with an object, and each has a MAC that is checked. */
const MAX_GRANTS = 100;

/** Searches, new keys, and whatever changes an object or takes a certificate apart are not quick. */
const QUICK: ReadonlySet<OperationName> = new Set([
  ...(['Encrypt', 'Decrypt', 'Sign', 'SignatureVerify', 'MAC', 'MACVerify', 'Hash'] satisfies OperationName[]),
  ...(['Get', 'GetAttributes', 'GetAttributeList', 'DiscoverVersions', 'Query'] satisfies OperationName[]),
]);

/** Short operations that change one or a few rows: the actor's thread does them in one transaction with others. */
const SHORT_WRITES: ReadonlySet<OperationName> = new Set([
  ...(['Create', 'Activate', 'Revoke', 'Deactivate', 'Destroy', 'Obliterate', 'Archive', 'Recover', 'GetUsageAllocation'] satisfies OperationName[]),
  ...(['AddAttribute', 'ModifyAttribute', 'SetAttribute', 'AdjustAttribute', 'DeleteAttribute'] satisfies OperationName[]),
]);

/** What Register stores as it is; keys of pairs and certificates are taken apart first, which takes milliseconds. */
const STORED_AS_GIVEN: ReadonlySet<number | undefined> = new Set([ENUM.ObjectType.SymmetricKey, ENUM.ObjectType.SecretData, ENUM.ObjectType.OpaqueObject]);

/** The other operations leave the call to the actor before they do anything. */
export function quickOperations(all: Operations): Operations {
  return Object.fromEntries(Object.entries(all).map(([name, operation]) => [name, quickOperation(operation)]));
}

function quickOperation(operation: Operation): Operation {
  if (SHORT_WRITES.has(operation.name)) return { ...operation, unread: leaveWrite, run: leaveWrite };
  if (operation.name === 'Register') return { ...operation, run: (request) => (STORED_AS_GIVEN.has(codeOf(request, TAG.ObjectType)) ? leaveWrite() : leave()) };
  if (!QUICK.has(operation.name)) return { ...operation, unread: leave, run: leave };
  return { ...operation, run: (request, ctx) => (asksForFormat(structureOf(request, TAG.CryptographicParameters)) ? leave() : operation.run(request, ctx)) };
}

/**
 * Small objects by their own identifiers. Names that stand for tags or keysets need a search, and unknown ones end in a refusal: both are left to
 * the actor.
 */
export function quickObjects(source: ObjectSource): ObjectSource {
  return {
    ...source,
    held: (id, content) => andThen(source.held(id, content), heldOrLeft),
    readWhole: leave,
    find: leave,
  };
}

const heldOrLeft = (held: Held | undefined): Held => held ?? leave();

/** Before an object is read: a large one, or one with many grants, is left to the actor. */
export async function requireSmall(reader: Reader, id: string): Promise<void> {
  const found = await reader.get<{ bytes: number; grants: number }>(
    `SELECT length(attributes) + coalesce(length(content), 0) AS bytes, (SELECT count(*) FROM (SELECT 1 FROM kms_grant WHERE object_id = $1 LIMIT $2) AS few) AS grants
     FROM kms_object WHERE id = $1`,
    [id, MAX_GRANTS + 1],
  );
  if (!found || found.bytes > MAX_OBJECT_BYTES || found.grants > MAX_GRANTS) leave();
}
