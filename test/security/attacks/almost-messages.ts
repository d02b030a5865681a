// Five connections of one client certificate, each just short of the largest message.
import type { Target } from '../target.ts';
import type { Attack } from './attack.ts';
import { dial, keep } from './wire.ts';

const MESSAGE = 67_108_864;

export default {
  name: 'five connections just short of the largest message, at the KMIP listener',
  async run(target: Target, signal: AbortSignal) {
    const header = Buffer.from('4200780100000000', 'hex');
    header.writeUInt32BE(MESSAGE - 8, 4);
    const most = Buffer.alloc(MESSAGE - 16);
    await keep(5, signal, async () => {
      const socket = await dial(target, { client: 'mallory', listener: true });
      socket.write(header);
      socket.write(most);
      return socket;
    });
  },
} satisfies Attack;
