// Computes or verifies a MAC in parts.
import type { Structure } from '../../../kmip/ttlv/node.ts';
import type { StreamOutput } from '../../stream/api.ts';
import { effectiveAlgorithm, effectiveParameters } from '../object/cryptographic-parameters.ts';
import type { KeyPart } from '../object/key.ts';
import type { PartOfMany } from './part.ts';
import { repeated } from './parts.ts';
import type { KeyUse } from './use-key.ts';

/** @param proof the MAC to compare with */
export function macPart(
  request: Structure,
  { object, key }: KeyUse,
  part: PartOfMany,
  { kind, data, proof }: Pick<KeyPart, 'data' | 'proof'> & { readonly kind: 'MAC' | 'MACVerify' },
): Promise<StreamOutput> {
  const start = () => {
    const parameters = effectiveParameters(request, object, 'mac');
    return { algorithm: effectiveAlgorithm(parameters, object), parameters };
  };
  return key.parts({ ...part, kind, data, proof, start, repeats: repeated(request, object, 'mac') });
}
