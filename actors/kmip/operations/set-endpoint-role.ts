// SetEndpointRole: a server that never becomes a client accepts the role it has and no other (KMIP 2.1 section 6.1.54).
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { enumeration } from '../../../kmip/ttlv/node.ts';
import { codeOf, required } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Operation } from './operation.ts';

export const setEndpointRole: Operation = async (request) => {
  const role = required(codeOf(request, TAG.EndpointRole), TAG.EndpointRole);
  if (role !== ENUM.EndpointRole.Server) throw new Refusal('FeatureNotSupported', 'this endpoint is a server and stays one');
  return [enumeration(TAG.EndpointRole, role)];
};
