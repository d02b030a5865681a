// The programs of others that are run against the server.
import type { ForeignClient } from './client.ts';
import { hvac } from './hvac/client.ts';
import { kmipGo, kmipGoExamples } from './kmip-go/client.ts';
import { openBao, vault } from './vault-go/client.ts';

export const CLIENTS: readonly ForeignClient[] = [kmipGo, kmipGoExamples, hvac, openBao, vault];
