// The programs of others that are run against the server.
import type { ForeignClient } from './client.ts';

export const CLIENTS: readonly ForeignClient[] = [];
