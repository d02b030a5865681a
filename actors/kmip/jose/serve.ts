// The REST crypto API: maps calls to functions, and turns results and failures into answers.
import { andThen } from '../../../kernel/at-once.ts';
import type { Fault } from '../../../kernel/fault.ts';
import type { OperationName } from '../../../kmip/operation-name.ts';
import type { CryptoCall } from '../api.ts';
import type { RefusedCall } from '../audit-refusal.ts';
import { isUnanswered } from '../object/hsm-key/unanswered.ts';
import type { OperationContext } from '../operation-context.ts';
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

export interface CryptoAnswer {
  /** HTTP status. */
  readonly status: number;
  /** Sent as JSON; undefined for an answer without a body. */
  readonly body: unknown;
  /** `Success`, or the reason of the refusal. */
  readonly outcome: string;
  /** For the audit log. */
  readonly refused?: RefusedCall;
  /** Thrown once the audit row is written. */
  readonly failure?: Fault;
}

/** Longer protected headers are not searched for the key of a refused call. */
const MAX_HEADER_LENGTH = 4_096;

const WITH_BODY: Record<(CryptoCall & { kid?: never })['name'], (body: Members, ctx: OperationContext) => unknown> = {
  encrypt,
  decrypt,
  sign,
  verify,
  mac,
  createKey,
  unwrapKey,
};

/**
 * Serves one call. Errors of the client become an answer: `{error, description}` with 400, 403, 404 or 422.
 * @param body JSON, empty if the call takes none
 * @throws every error that the client did not cause
 */
export function serveCrypto(call: CryptoCall, body: Uint8Array, ctx: OperationContext): CryptoAnswer | Promise<CryptoAnswer> {
  let members: Members | undefined;
  try {
    members = BODILESS.has(call.name) ? {} : readObject(body, 'the body');
    const answer = dispatch(call, members, ctx);
    return answer instanceof Promise ? answer.catch((error: unknown) => refuse(call, members, error)) : answer;
  } catch (error) {
    return refuse(call, members, error);
  }
}

/** @throws what is not the client's error */
function refuse(call: CryptoCall, members: Members | undefined, error: unknown): CryptoAnswer {
  const named = { event: `key.${OPERATION[call.name]}`, target: 'kid' in call ? call.kid : keyIn(members) };
  if (isUnanswered(error))
    return { status: 0, body: undefined, outcome: error.code, refused: { ...named, reason: error.code, isUnknown: true }, failure: error };
  const { status, body, reason } = refusalAnswer(error);
  return { status, body, outcome: reason, refused: { ...named, reason } };
}

const BODILESS: ReadonlySet<CryptoCall['name']> = new Set(['deleteKey', 'getTags']);

function dispatch(call: CryptoCall, members: Members, ctx: OperationContext): CryptoAnswer | Promise<CryptoAnswer> {
  if (call.name === 'deleteKey') return andThen(deleteKey(call.kid, ctx), () => ({ status: 204, body: undefined, outcome: 'Success' }));
  const body = bodyOf(call, members, ctx);
  return body instanceof Promise ? body.then(toSuccess) : toSuccess(body);
}

const toSuccess = (body: unknown): CryptoAnswer => ({ status: 200, body, outcome: 'Success' });

function bodyOf(call: Exclude<CryptoCall, { name: 'deleteKey' }>, members: Members, ctx: OperationContext): unknown {
  if (!('kid' in call)) return WITH_BODY[call.name](members, ctx);
  if (call.name === 'getTags') return getTags(call.kid, ctx);
  return call.name === 'addTags' ? addTags(call.kid, members, ctx) : deleteTags(call.kid, members, ctx);
}

/** The corresponding KMIP operation, which also names the event in the audit log. */
const OPERATION: Readonly<Record<CryptoCall['name'], OperationName>> = {
  encrypt: 'Encrypt',
  decrypt: 'Decrypt',
  sign: 'Sign',
  verify: 'SignatureVerify',
  mac: 'MAC',
  createKey: 'Create',
  unwrapKey: 'Import',
  deleteKey: 'Destroy',
  getTags: 'GetAttributes',
  addTags: 'ModifyAttribute',
  deleteTags: 'ModifyAttribute',
};

/** The key that a body names, directly or in its protected header. */
function keyIn(members: Members = {}): unknown {
  const { kid, protected: header } = members;
  if (kid !== undefined || typeof header !== 'string' || header.length > MAX_HEADER_LENGTH) return kid;
  try {
    return (JSON.parse(Buffer.from(header, 'base64url').toString()) as Members)['kid'];
  } catch {
    return undefined;
  }
}
