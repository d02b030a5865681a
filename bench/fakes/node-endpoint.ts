// Comlink's own adapter for Node ports, which its package ships without types for this way of loading.
import { createRequire } from 'node:module';
import type { MessagePort } from 'node:worker_threads';
import type { Endpoint } from 'comlink';

export default createRequire(import.meta.url)('comlink/dist/umd/node-adapter.js') as (port: MessagePort) => Endpoint;
