// Eight requests that send all but the last byte of 64 MiB.
import type { Target } from '../target.ts';
import type { Attack } from './attack.ts';
import { dial, keep, requestBytes } from './wire.ts';

const BODY = 67_108_864;

export default {
  name: 'eight bodies that send all but the last byte of 64 MiB',
  async run(target: Target, signal: AbortSignal) {
    const head = requestBytes('POST', '/kmip', { 'content-type': 'application/octet-stream', 'content-length': BODY });
    const most = Buffer.alloc(BODY - 1);
    await keep(8, signal, async () => {
      const socket = await dial(target, { client: 'mallory' });
      socket.write(head);
      socket.write(most);
      return socket;
    });
  },
} satisfies Attack;
