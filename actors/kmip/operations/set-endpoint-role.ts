// SetEndpointRole: accepts only the role Server, because this server never becomes a client (KMIP 2.1 section 6.1.54).
import { payloadMembers } from '../../../kmip/message/payload-members.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { enumeration, type Node, type Structure } from '../../../kmip/ttlv/node.ts';
import { codeOf, required } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Operation } from '../operation.ts';

export const setEndpointRole = {
  name: 'SetEndpointRole',
  members: payloadMembers(['EndpointRole']),
  run,
} satisfies Operation;

async function run(request: Structure): Promise<readonly Node[]> {
  const role = required(codeOf(request, TAG.EndpointRole), TAG.EndpointRole);
  if (role !== ENUM.EndpointRole.Server) throw new Refusal('FeatureNotSupported', 'this endpoint is a server and cannot change its role');
  return [enumeration(TAG.EndpointRole, role)];
}
