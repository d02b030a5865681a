// 500 connections without credentials request the largest document again and again and do not read the answers.
import type { Target } from '../target.ts';
import type { Attack } from './attack.ts';
import { dial, keep, pause, requestBytes } from './wire.ts';

export default {
  name: '500 connections that ask for /openapi.yaml again and again and do not read',
  async run(target: Target, signal: AbortSignal) {
    const request = requestBytes('GET', '/openapi.yaml');
    await keep(500, signal, async () => {
      const socket = await dial(target, {});
      void (async () => {
        for (let at = 0; at < 40 && !socket.destroyed; at += 1) {
          socket.write(request);
          await pause(500);
        }
      })();
      return socket;
    });
  },
} satisfies Attack;
