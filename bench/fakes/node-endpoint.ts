// Loads Comlink's adapter for Node ports, for which its package has no types.
import { createRequire } from 'node:module';
import type { MessagePort } from 'node:worker_threads';
import type { Endpoint } from 'comlink';

export default createRequire(import.meta.url)('comlink/dist/umd/node-adapter.js') as (port: MessagePort) => Endpoint;
