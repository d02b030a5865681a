// Many connections: half of them are silent, half have sent one request.
import type { Target } from '../target.ts';
import type { Attack } from './attack.ts';
import { dial, keep, requestBytes } from './wire.ts';

export default {
  name: '3000 connections, half of them silent',
  async run(target: Target, signal: AbortSignal) {
    let count = 0;
    await keep(3_000, signal, async () => {
      const socket = await dial(target, {});
      count += 1;
      if (count % 2 === 0) socket.write(requestBytes('GET', '/health'));
      return socket;
    });
  },
} satisfies Attack;
