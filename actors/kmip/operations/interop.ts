// Interop: a client announces the test that it is about to run (KMIP specification 2.1 section 6.1.26).
import { payloadMembers } from '../../../kmip/message/payload-members.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import type { Node, Structure } from '../../../kmip/ttlv/node.ts';
import { enumNameOf, required, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { callerName } from '../principal.ts';

export const interop = {
  name: 'Interop',
  members: payloadMembers(['InteropFunction', 'InteropIdentifier']),
  run,
} satisfies Operation;

/** Begin and End are only logged. Reset is refused, because it would delete the objects of other users. */
async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const step = required(enumNameOf(request, TAG.InteropFunction, 'InteropFunction'), TAG.InteropFunction);
  const test = required(textOf(request, TAG.InteropIdentifier), TAG.InteropIdentifier);
  if (step === 'Reset') throw new Refusal('PermissionDenied', 'clients cannot reset this server');
  ctx.server.log.info({ user: callerName(ctx.caller), step, test: test.slice(0, 256) }, 'interoperability test');
  return [];
}
