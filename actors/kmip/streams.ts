// Multi-part operations for the operations of a kmip thread: calls the stream actor and throws its refusals.
import type { PinnedRef, Remote } from '../../kernel/actor.ts';
import { move } from '../../kernel/runtime/channel/bytes.ts';
import { hashOf } from '../../kernel/versions.ts';
import { Refusal } from '../../kmip/refusal.ts';
import type { StreamApi, StreamOutput, StreamOwner, StreamResult, StreamStart } from '../stream/api.ts';

/**
 * Every part may be refused with InvalidCorrelationValue, InvalidField, ServerLimitExceeded or a reason of the algorithm, as StreamApi says. A server
 * fault is not a refusal: it may lose the stream, and then the next part is refused.
 */
export interface Streams {
  begin(start: StreamStart, data: Uint8Array): Promise<StreamOutput>;
  update(owner: StreamOwner, value: Uint8Array, data: Uint8Array): Promise<StreamOutput>;
  finish(owner: StreamOwner, value: Uint8Array, data: Uint8Array, proof: Uint8Array | undefined): Promise<StreamOutput>;
  abandon(owner: StreamOwner, value: Uint8Array): Promise<boolean>;
}

/** @param actor all threads of the stream actor; the user's name selects the thread that holds all streams of the user */
export function openStreams(actor: PinnedRef<StreamApi>): Streams {
  const keys = actor.keys();
  const of = (user: string): Remote<StreamApi> => actor.at(keys[hashOf(user) % keys.length] as string);
  return {
    begin: (start, data) => result(() => of(start.user).begin({ ...start, key: move(copyBytes(start.key)), ...ownedInputs(start) }, move(copyBytes(data)))),
    update: (owner, value, data) => result(() => of(owner.user).update(toPlainOwner(owner), copyBytes(value), move(copyBytes(data)))),
    finish: (owner, value, data, proof) =>
      result(() => of(owner.user).finish(toPlainOwner(owner), copyBytes(value), move(copyBytes(data)), proof === undefined ? undefined : copyBytes(proof))),
    abandon: (owner, value) => of(owner.user).abandon(toPlainOwner(owner), copyBytes(value)),
  };
}

async function result(call: () => Promise<StreamResult>): Promise<StreamOutput> {
  const answer = await call();
  if (!answer.ok) throw new Refusal(answer.reason, answer.message);
  return answer;
}

/** Copies the bytes, because a view on a larger buffer must not be passed to another thread. */
function copyBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}

function ownedInputs({ iv, aad, proof, parameters }: StreamStart): Pick<StreamStart, 'iv' | 'aad' | 'proof' | 'parameters'> {
  return {
    iv: iv && copyBytes(iv),
    aad: aad && copyBytes(aad),
    proof: proof && copyBytes(proof),
    parameters: parameters.pSource ? { ...parameters, pSource: copyBytes(parameters.pSource) } : parameters,
  };
}

function toPlainOwner({ kind, user, object, inputs }: StreamOwner): StreamOwner {
  return { kind, user, object, inputs };
}
