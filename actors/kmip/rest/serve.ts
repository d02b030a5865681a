// The REST crypto API: which call does what, and how calls and their failures are answered.
import type { CryptoCall } from '../api.ts';
import type { OperationContext } from '../operations/operation.ts';
import { createKey } from './create-key.ts';
import { decrypt } from './decrypt.ts';
import { deleteKey } from './delete-key.ts';
import { encrypt } from './encrypt.ts';
import { mac } from './mac.ts';
import { type Members, readObject } from './members.ts';
import { refusalAnswer } from './problem.ts';
import { sign, verify } from './sign.ts';
import { addTags, deleteTags, getTags } from './tags.ts';
import { unwrapKey } from './unwrap-key.ts';

interface CryptoAnswer {
  /** HTTP status. */
  readonly status: number;
  /** To be written as JSON; undefined for an answer without a body. */
  readonly body: unknown;
}

const WITH_BODY: Record<(CryptoCall & { kid?: never })['name'], (body: Members, ctx: OperationContext) => Promise<unknown>> = {
  encrypt,
  decrypt,
  sign,
  verify,
  mac,
  createKey,
  unwrapKey,
};

/**
 * Serves one call. What the client did wrong is in the answer: `{error, description}` with 400, 403, 404 or 422.
 * @param body JSON, empty where the call takes none
 * @throws what is not the client's doing
 */
export async function serveCrypto(call: CryptoCall, body: Uint8Array, ctx: OperationContext): Promise<CryptoAnswer> {
  try {
    if (!('kid' in call)) return { status: 200, body: await WITH_BODY[call.name](readObject(body, 'the body'), ctx) };
    if (call.name !== 'deleteKey') return { status: 200, body: await tags(call, body, ctx) };
    await deleteKey(call.kid, ctx);
    return { status: 204, body: undefined };
  } catch (error) {
    return refusalAnswer(error);
  }
}

function tags({ name, kid }: CryptoCall & { kid: string; name: string }, body: Uint8Array, ctx: OperationContext): Promise<unknown> {
  if (name === 'getTags') return getTags(kid, ctx);
  const members = readObject(body, 'the body');
  return name === 'addTags' ? addTags(kid, members, ctx) : deleteTags(kid, members, ctx);
}
