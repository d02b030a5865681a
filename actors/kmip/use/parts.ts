// The parts of a multi-part operation on their way to the stream actor, and the members of the answers.
import type { CryptographicAlgorithm, CryptographicParameters } from '../../../crypto/parameters.ts';
import { bytes, type Node } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { StreamKind, StreamOutput, StreamOwner } from '../../stream/api.ts';
import type { OperationContext } from '../operation-context.ts';
import type { Part } from './part.ts';

export interface Begin {
  readonly algorithm: CryptographicAlgorithm | undefined;
  readonly parameters: CryptographicParameters;
  readonly key: Uint8Array;
  readonly iv?: Uint8Array | undefined;
  readonly aad?: Uint8Array | undefined;
}

export interface PartInput {
  readonly kind: StreamKind;
  /** Identifier of the key; empty for a hash. */
  readonly object: string;
  readonly data: Uint8Array | undefined;
  /** Authentication tag, signature or MAC. */
  readonly proof?: Uint8Array | undefined;
  /** Called for the first part only. */
  begin(): Begin;
}

const NOTHING = new Uint8Array();

/** @throws Refusal as `Streams` */
export function sendPart(ctx: OperationContext, part: Part, input: PartInput): Promise<StreamOutput> {
  const { streams } = ctx.server;
  const owner: StreamOwner = { kind: input.kind, user: ctx.caller.user, object: input.object };
  const data = input.data ?? NOTHING;
  if (part.is === 'next') return streams.update(owner, part.value, data);
  if (part.is === 'last') return streams.finish(owner, part.value, data, input.proof);
  const { algorithm, parameters, key, iv, aad } = input.begin();
  return streams.begin({ ...owner, algorithm, parameters, key, iv, aad, proof: input.proof }, data);
}

/** The CorrelationValue to come back with, unless this was the last part. */
export function correlation(part: Part, output: StreamOutput): readonly Node[] {
  return part.is === 'last' ? [] : [bytes(TAG.CorrelationValue, output.value)];
}
