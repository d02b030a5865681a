// Log: a client's message for the server's log (KMIP specification 2.1 section 6.1.29).
import { Refusal } from '../../../kmip/refusal.ts';
import { required, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { callerName } from '../principal.ts';
import type { Operation } from './operation.ts';

const MAX_CHARACTERS = 4096;

/** The message is a field of the line, so that it cannot look like one of the server's own. */
export const log: Operation = async (request, ctx) => {
  const said = required(textOf(request, TAG.LogMessage), TAG.LogMessage);
  if (said.length > MAX_CHARACTERS) throw new Refusal('InvalidField', `a log message has ${MAX_CHARACTERS} characters at most`);
  ctx.server.log.info({ user: callerName(ctx.caller), source: ctx.caller.source, said }, 'a client logs');
  return [];
};
