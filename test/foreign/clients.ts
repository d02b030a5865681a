// The programs of others that are run against the server.
import type { ForeignClient } from './client.ts';
import { kmipGo, kmipGoExamples } from './kmip-go/client.ts';
import { schemathesis } from './schemathesis/client.ts';

export const CLIENTS: readonly ForeignClient[] = [kmipGo, kmipGoExamples, schemathesis];
