// Which MAC a request asks for, and the first part of one that is made or verified in parts.
import { type MacAlgorithm, macAlgorithm } from '../../../crypto/signature/mac.ts';
import type { Structure } from '../../../kmip/ttlv/node.ts';
import { effectiveAlgorithm, effectiveParameters } from '../object/cryptographic-parameters.ts';
import { algorithmOf, secretBytes } from '../object/key-material.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import type { Use } from '../object/usage.ts';
import type { PartInput } from './parts.ts';

export function algorithmFor(request: Structure, object: ManagedObject): MacAlgorithm {
  return macAlgorithm(algorithmOf(object), effectiveParameters(request, object, 'mac'));
}

export function partInput(request: Structure, object: ManagedObject, use: Use & { operation: 'MAC' | 'MACVerify' }, data: Uint8Array | undefined): PartInput {
  const begin = () => {
    const parameters = effectiveParameters(request, object, 'mac');
    return { algorithm: effectiveAlgorithm(parameters, object), parameters, key: secretBytes(object) };
  };
  return { kind: use.operation, object: object.id, data, begin };
}
