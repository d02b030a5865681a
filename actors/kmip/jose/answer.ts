// The answer to a call of the REST crypto API, in the form in which the actor returns it.
import { atEnd } from '../../../kernel/at-once.ts';
import { WORKING_VERSION } from '../../../kmip/version.ts';
import { answerText } from '../answer-text.ts';
import type { Answer, CryptoCall, Principal } from '../api.ts';
import { auditRefusal } from '../audit-refusal.ts';
import { BatchContext } from '../context.ts';
import type { KeyServer } from '../server.ts';
import { type CryptoAnswer, serveCrypto } from './serve.ts';

export function answerCrypto(server: KeyServer, call: CryptoCall, body: Uint8Array, caller: Principal): Answer | Promise<Answer> {
  const ctx = new BatchContext(server, caller, WORKING_VERSION);
  let answer: Answer | Promise<Answer> | undefined;
  try {
    const served = serveCrypto(call, body, ctx);
    answer = served instanceof Promise ? served.then((each) => toAnswer(call, each, ctx)) : toAnswer(call, served, ctx);
  } finally {
    if (!(answer instanceof Promise)) ctx.opening.end();
  }
  return answer instanceof Promise ? atEnd(answer, () => ctx.opening.end()) : answer;
}

function toAnswer(call: CryptoCall, { status, body, outcome, refused, failure }: CryptoAnswer, ctx: BatchContext): Answer | Promise<Answer> {
  const answer = { status, body: answerText(body === undefined ? '' : JSON.stringify(body)), outcomes: [`${call.name}:${outcome}`] };
  return refused ? auditRefusal(ctx.server, ctx.caller, refused).then(() => (failure ? Promise.reject(failure) : answer)) : answer;
}
