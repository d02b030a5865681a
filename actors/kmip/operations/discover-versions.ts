// DiscoverVersions: lists all supported protocol versions, or those of the client's list in its order (KMIP 2.1 section 6.1.16).
import { payloadMembers } from '../../../kmip/message/payload-members.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { integer, type Node, type Structure, structure, TYPE } from '../../../kmip/ttlv/node.ts';
import { children, integerOf, required } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { VERSIONS, type Version } from '../../../kmip/version.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

/** What is a draft is told to clients that speak it, or ask for it by its number. */
const LAST_STANDARD = 2;

export const discoverVersions = {
  name: 'DiscoverVersions',
  members: payloadMembers([], ['ProtocolVersion']),
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const asked = children(request, TAG.ProtocolVersion).map((node) => {
    if (node.type !== TYPE.Structure) throw new Refusal('InvalidMessage', 'ProtocolVersion is not a Structure');
    return node;
  });
  const offered =
    asked.length === 0
      ? VERSIONS.filter(({ major }) => major <= LAST_STANDARD || ctx.version.major > LAST_STANDARD)
      : asked.flatMap((node) => {
          const [major, minor] = ([TAG.ProtocolVersionMajor, TAG.ProtocolVersionMinor] as const).map((tag) => required(integerOf(node, tag), tag));
          return VERSIONS.filter((version) => version.major === major && version.minor === minor);
        });
  return offered.map(protocolVersion);
}

function protocolVersion({ major, minor }: Version) {
  return structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, major), integer(TAG.ProtocolVersionMinor, minor)]);
}
