// Eight requests that announce 64 MiB and send one byte at a time.
import type { Target } from '../target.ts';
import type { Attack } from './attack.ts';
import { dial, keep, pause, requestBytes } from './wire.ts';

export default {
  name: 'eight bodies that announce 64 MiB and send a byte at a time',
  async run(target: Target, signal: AbortSignal) {
    const head = requestBytes('POST', '/kmip', { 'content-type': 'application/octet-stream', 'content-length': 67_108_864 });
    await keep(8, signal, async () => {
      const socket = await dial(target, { client: 'mallory' });
      socket.write(head);
      void (async () => {
        for (; !socket.destroyed; await pause(200)) socket.write(Buffer.alloc(1));
      })();
      return socket;
    });
  },
} satisfies Attack;
