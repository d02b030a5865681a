// The key formats of KMIP by name.
import type { ENUM } from '../ttlv/enumeration.ts';

export type KeyFormatType = keyof typeof ENUM.KeyFormatType;
