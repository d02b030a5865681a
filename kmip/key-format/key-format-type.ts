// The names of the KMIP key formats.
import type { ENUM } from '../ttlv/enumeration.ts';

export type KeyFormatType = keyof typeof ENUM.KeyFormatType;
