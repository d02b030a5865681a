// The input to sign: Data or DigestedData of a request (KMIP specification 2.1 sections 6.1.55 and 6.1.56).
import { Refusal } from '../../../kmip/refusal.ts';
import type { Structure } from '../../../kmip/ttlv/node.ts';
import { bytesOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';

/** The data of one of several parts. @throws Refusal InvalidField for a digest, which has no parts */
export function partOfMessage(request: Structure): Uint8Array | undefined {
  if (bytesOf(request, TAG.DigestedData) !== undefined)
    throw new Refusal('InvalidField', 'a multi-part operation takes Data; send DigestedData in one request');
  return bytesOf(request, TAG.Data);
}

/** @throws Refusal InvalidMessage without either, InvalidField for both */
export function signatureInput(request: Structure): { data: Uint8Array; digest?: never } | { data?: never; digest: Uint8Array } {
  const data = bytesOf(request, TAG.Data);
  const digest = bytesOf(request, TAG.DigestedData);
  if (data !== undefined) {
    if (digest !== undefined) throw new Refusal('InvalidField', 'give either Data or DigestedData, not both');
    return { data };
  }
  if (digest === undefined) throw new Refusal('InvalidMessage', 'there is no data to sign or verify: missing field: Data or DigestedData');
  return { digest };
}
