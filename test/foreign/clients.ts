// The programs of others that are run against the server.
import type { ForeignClient } from './client.ts';
import { HVAC } from './hvac/client.ts';
import { OPENBAO, VAULT } from './vault-go/client.ts';

export const CLIENTS: readonly ForeignClient[] = [HVAC, OPENBAO, VAULT];
