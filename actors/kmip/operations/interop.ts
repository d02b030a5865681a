// Interop: a client tells of the test it is about to run (KMIP specification 2.1 section 6.1.26).
import { Refusal } from '../../../kmip/refusal.ts';
import { named, required, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { callerName } from '../principal.ts';
import type { Operation } from './operation.ts';

/** Begin and End change nothing and are noted in the log. Reset would delete what belongs to others, and is refused. */
export const interop: Operation = async (request, ctx) => {
  const step = required(named(request, TAG.InteropFunction, 'InteropFunction'), TAG.InteropFunction);
  const test = required(textOf(request, TAG.InteropIdentifier), TAG.InteropIdentifier);
  if (step === 'Reset') throw new Refusal('PermissionDenied', 'this server is not reset by its clients');
  ctx.server.log.info({ user: callerName(ctx.caller), step, test: test.slice(0, 256) }, 'interoperability test');
  return [];
};
