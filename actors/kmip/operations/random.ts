// RNGRetrieve and RNGSeed (KMIP specification 2.1 sections 6.1.49 and 6.1.50).
import { Refusal } from '../../../kmip/refusal.ts';
import { bytes, integer } from '../../../kmip/ttlv/node.ts';
import { bytesOf, integerOf, required } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Operation } from './operation.ts';

const MAX_BYTES = 65_536;

export const rngRetrieve: Operation = async (request, ctx) => {
  const length = required(integerOf(request, TAG.DataLength), TAG.DataLength);
  if (length < 1 || length > MAX_BYTES) throw new Refusal('InvalidField', `the data length must be 1 to ${MAX_BYTES}`);
  return [bytes(TAG.Data, ctx.server.random.bytes(length))];
};

/** Seeds the generator of this thread, all of it. */
export const rngSeed: Operation = async (request, ctx) => [integer(TAG.DataLength, ctx.server.random.seed(required(bytesOf(request, TAG.Data), TAG.Data)))];
