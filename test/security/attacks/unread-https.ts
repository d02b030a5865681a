// 30 connections request an object of 30 MiB and do not read the answer.
import type { StartedTarget, Target } from '../target.ts';
import type { Attack } from './attack.ts';
import { dial, getMessage, idIn, keep, registerMessage, requestBytes, tell } from './wire.ts';

export default {
  name: '30 connections that ask for 30 MiB over HTTPS and do not read',
  prepare: async (target: StartedTarget) => idIn(await tell(target, 'mallory', registerMessage(30 * 1_048_576))),
  async run(target: Target, signal: AbortSignal, id: string) {
    const request = requestBytes('POST', '/kmip', { 'content-type': 'application/octet-stream' }, getMessage(id));
    await keep(30, signal, async () => {
      const socket = await dial(target, { client: 'mallory' });
      socket.write(request);
      return socket;
    });
  },
} satisfies Attack;
