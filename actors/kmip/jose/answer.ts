// The answer to a call of the REST crypto API, in the form in which the actor returns it.
import { moveLarge } from '../../../kernel/runtime/bytes.ts';
import { VERSIONS, type Version } from '../../../kmip/version.ts';
import type { Answer, CryptoCall, Principal } from '../api.ts';
import { auditRefusal } from '../audit-refusal.ts';
import { BatchContext } from '../context.ts';
import type { KeyServer } from '../server.ts';
import { serveCrypto } from './serve.ts';

export async function answerCrypto(server: KeyServer, call: CryptoCall, body: Uint8Array, caller: Principal): Promise<Answer> {
  const ctx = new BatchContext(server, caller, VERSIONS[0] as Version);
  try {
    return await runCall(call, body, ctx);
  } finally {
    ctx.opening.end();
  }
}

async function runCall(call: CryptoCall, body: Uint8Array, ctx: BatchContext): Promise<Answer> {
  const { status, body: answer, outcome, refused } = await serveCrypto(call, body, ctx);
  if (refused) await auditRefusal(ctx.server, ctx.caller, refused);
  const text = answer === undefined ? new Uint8Array(0) : new TextEncoder().encode(JSON.stringify(answer));
  return { status, body: moveLarge(text), outcomes: [`${call.name}:${outcome}`] };
}
