// The answer to a call of the REST crypto API, in the form in which the actor returns it.
import { andThen, lastly } from '../../../kernel/at-once.ts';
import { VERSIONS, type Version } from '../../../kmip/version.ts';
import { answerText } from '../answer-text.ts';
import type { Answer, CryptoCall, Principal } from '../api.ts';
import { auditRefusal } from '../audit-refusal.ts';
import { BatchContext } from '../context.ts';
import type { KeyServer } from '../server.ts';
import { serveCrypto } from './serve.ts';

export function answerCrypto(server: KeyServer, call: CryptoCall, body: Uint8Array, caller: Principal): Answer | Promise<Answer> {
  const ctx = new BatchContext(server, caller, VERSIONS[0] as Version);
  return lastly(
    () => runCall(call, body, ctx),
    () => ctx.opening.end(),
  );
}

function runCall(call: CryptoCall, body: Uint8Array, ctx: BatchContext): Answer | Promise<Answer> {
  return andThen(serveCrypto(call, body, ctx), ({ status, body: answer, outcome, refused }) =>
    andThen(refused && auditRefusal(ctx.server, ctx.caller, refused), () => {
      const text = answer === undefined ? '' : JSON.stringify(answer);
      return { status, body: answerText(text), outcomes: [`${call.name}:${outcome}`] };
    }),
  );
}
