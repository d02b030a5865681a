// The operations of KMIP by name.
import { ENUM } from './ttlv/enumeration.ts';

/** Every operation that has a code, served or not, in the order of the codes. */
export const OPERATION_NAMES: readonly OperationName[] = Object.keys(ENUM.Operation) as OperationName[];

export type OperationName = keyof typeof ENUM.Operation;
