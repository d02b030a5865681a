// Hash (KMIP specification 2.1 section 6.1.24), whole or in parts.
import { hash as hashOf } from '../../../crypto/hash.ts';
import { bytes } from '../../../kmip/ttlv/node.ts';
import { bytesOf, required, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { parametersOf } from '../object/cryptographic-parameters.ts';
import { noData } from './cipher-rules.ts';
import type { Operation } from './operation.ts';
import { partOf } from './part.ts';
import { correlation, sendPart } from './parts.ts';

export const hash: Operation = async (request, ctx) => {
  const part = partOf(request);
  const data = bytesOf(request, TAG.Data);
  if (data === undefined && part.is !== 'first' && part.is !== 'last') throw noData('hash');
  const parameters = () => parametersOf(required(structureOf(request, TAG.CryptographicParameters), TAG.CryptographicParameters));
  if (part.is !== 'whole') {
    const begin = () => ({ algorithm: undefined, parameters: parameters(), key: new Uint8Array() });
    const output = await sendPart(ctx, part, { kind: 'Hash', object: '', data, begin });
    return [...(part.is === 'last' ? [bytes(TAG.Data, output.data)] : []), ...correlation(part, output)];
  }
  return [bytes(TAG.Data, hashOf(required(parameters().hashingAlgorithm, TAG.HashingAlgorithm), data as Uint8Array))];
};
