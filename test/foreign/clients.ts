// The programs of others that are run against the server.
import type { ForeignClient } from './client.ts';
import { HVAC } from './hvac/client.ts';
import { OPENBAO } from './openbao/client.ts';

export const CLIENTS: readonly ForeignClient[] = [HVAC, OPENBAO];
