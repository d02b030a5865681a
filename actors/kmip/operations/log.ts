// Log: writes a client's message to the server's log (KMIP specification 2.1 section 6.1.29).
import { payloadMembers } from '../../../kmip/message/payload-members.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import type { Node, Structure } from '../../../kmip/ttlv/node.ts';
import { required, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { callerName } from '../principal.ts';

const MAX_CHARACTERS = 4096;

export const log = {
  name: 'Log',
  members: payloadMembers(['LogMessage']),
  run,
} satisfies Operation;

/** The message is a field of the log line, so that it cannot pass for a line of the server's own. */
async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const said = required(textOf(request, TAG.LogMessage), TAG.LogMessage);
  if (said.length > MAX_CHARACTERS) throw new Refusal('InvalidField', `a log message can have at most ${MAX_CHARACTERS} characters`);
  ctx.server.log.info({ user: callerName(ctx.caller), source: ctx.caller.source, said }, 'log message of a client');
  return [];
}
