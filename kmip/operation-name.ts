// The names of the KMIP operations.
import { ENUM } from './ttlv/enumeration.ts';

/** All operations in the order of their codes, including those that the server does not support. */
export const OPERATION_NAMES: readonly OperationName[] = Object.keys(ENUM.Operation) as OperationName[];

export type OperationName = keyof typeof ENUM.Operation;
