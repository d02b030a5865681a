// All fuzz targets; a new one is added here and is part of the tests from then on.
import { CRYPTO_TARGET } from './crypto.fuzz.ts';
import { ENCODINGS_TARGET } from './encodings.fuzz.ts';
import { OPERATIONS_TARGET } from './operations.fuzz.ts';
import { PKCS12_TARGET } from './pkcs12.fuzz.ts';
import type { FuzzTarget } from './target.ts';
import { TTLV_TARGETS } from './ttlv.fuzz.ts';
import { WIRE_TARGET } from './wire.fuzz.ts';

export const TARGETS: readonly FuzzTarget[] = [...TTLV_TARGETS, OPERATIONS_TARGET, ENCODINGS_TARGET, CRYPTO_TARGET, PKCS12_TARGET, WIRE_TARGET];
