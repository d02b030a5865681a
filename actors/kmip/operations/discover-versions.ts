// DiscoverVersions: the protocol versions served, or those of the client's that are, in the client's order (KMIP 2.1 section 6.1.16).
import { Refusal } from '../../../kmip/refusal.ts';
import { integer, structure, TYPE } from '../../../kmip/ttlv/node.ts';
import { children, integerOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { VERSIONS, type Version } from '../../../kmip/version.ts';
import type { Operation } from './operation.ts';

export const discoverVersions: Operation = async (request) => {
  const asked = children(request, TAG.ProtocolVersion).map((node) => {
    if (node.type !== TYPE.Structure) throw new Refusal('InvalidMessage', 'ProtocolVersion is not a Structure');
    return node;
  });
  const offered =
    asked.length === 0
      ? VERSIONS
      : asked.flatMap((node) => {
          const [major, minor] = [integerOf(node, TAG.ProtocolVersionMajor), integerOf(node, TAG.ProtocolVersionMinor)];
          return VERSIONS.filter((version) => version.major === major && version.minor === minor);
        });
  return offered.map(protocolVersion);
};

export function protocolVersion({ major, minor }: Version) {
  return structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, major), integer(TAG.ProtocolVersionMinor, minor)]);
}
