// Query Asynchronous Requests: lists the caller's asynchronous requests whose results were not told yet (KMIP specification 2.1 section 6.1.41).
import { payloadMembers } from '../../../kmip/message/payload-members.ts';
import { dateTimeExtended, enumeration, type Node, type Structure, structure, TYPE } from '../../../kmip/ttlv/node.ts';
import { children, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { valueNode } from '../asynchronous/correlation-value.ts';
import type { ItemRow } from '../asynchronous/rows.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

const SQL = 'SELECT id, operation, stage, submitted_at FROM kms_asynchronous WHERE owner = $1 AND told_at IS NULL ORDER BY submitted_at, batch, position';

export const queryAsynchronousRequests = {
  name: 'QueryAsynchronousRequests',
  members: payloadMembers(['AsynchronousCorrelationValues', 'Operations']),
  isImmediate: true,
  run,
} satisfies Operation;

async function run(request: Structure, { reader, caller }: OperationContext): Promise<readonly Node[]> {
  const values = listed(request, TAG.AsynchronousCorrelationValues, TAG.AsynchronousCorrelationValue, ({ type, value }) =>
    type === TYPE.ByteString ? Buffer.from(value).toString('hex') : undefined,
  );
  const operations = listed(request, TAG.Operations, TAG.Operation, ({ type, value }) => (type === TYPE.Enumeration ? value : undefined));
  const rows = await reader.all<Pick<ItemRow, 'id' | 'operation' | 'stage' | 'submitted_at'>>(SQL, [caller.user]);
  return rows.filter(({ id, operation }) => (values?.has(id) ?? true) && (operations?.has(Number(operation)) ?? true)).map(told);
}

/** @returns undefined if the list is not there or is empty: it then restricts nothing */
function listed<T>(request: Structure, list: number, member: number, of: (node: Node) => T | undefined): ReadonlySet<T | undefined> | undefined {
  const given = structureOf(request, list);
  const nodes = given ? children(given, member) : [];
  return nodes.length > 0 ? new Set(nodes.map(of)) : undefined;
}

function told({ id, operation, stage, submitted_at }: Pick<ItemRow, 'id' | 'operation' | 'stage' | 'submitted_at'>): Structure {
  return structure(TAG.AsynchronousRequest, [
    valueNode(id),
    enumeration(TAG.Operation, Number(operation)),
    dateTimeExtended(TAG.SubmissionDate, BigInt(submitted_at) * 1_000n),
    enumeration(TAG.ProcessingStage, Number(stage)),
  ]);
}
