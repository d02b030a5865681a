// The correlation values of asynchronous requests: in messages bytes, here and in the database hexadecimal.
import { randomBytes } from 'node:crypto';
import { Refusal } from '../../../kmip/refusal.ts';
import { bytes, type Structure } from '../../../kmip/ttlv/node.ts';
import { bytesOf, required } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';

const VALUE_BYTES = 16;

export const newValues = (count: number): string[] => Array.from({ length: count }, () => randomBytes(VALUE_BYTES).toString('hex'));

/** @throws Refusal InvalidMessage if the payload has none */
export function valueIn(payload: Structure): string {
  return Buffer.from(required(bytesOf(payload, TAG.AsynchronousCorrelationValue), TAG.AsynchronousCorrelationValue)).toString('hex');
}

export const valueBytes = (id: string): Uint8Array => new Uint8Array(Buffer.from(id, 'hex'));
export const valueNode = (id: string): ReturnType<typeof bytes> => bytes(TAG.AsynchronousCorrelationValue, valueBytes(id));

/** The refusal if nothing, or nothing of the caller, has this correlation value. */
export function unknownValue(): Refusal {
  return new Refusal(
    'InvalidAsynchronousCorrelationValue',
    'no asynchronous request has this correlation value: its result was deleted after its time, or it is not yours',
  );
}
