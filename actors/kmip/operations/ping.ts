// Ping: tells the client that the server is there (KMIP specification 2.1 section 6.1.36).
import { payloadMembers } from '../../../kmip/message/payload-members.ts';
import type { Node } from '../../../kmip/ttlv/node.ts';
import type { Operation } from '../operation.ts';

export const ping = {
  name: 'Ping',
  members: payloadMembers([]),
  run,
} satisfies Operation;

function run(): readonly Node[] {
  return [];
}
