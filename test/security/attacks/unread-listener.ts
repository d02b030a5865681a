// 30 connections of the KMIP listener request an object of 30 MiB again and again and do not read the answers.
import type { StartedTarget, Target } from '../target.ts';
import type { Attack } from './attack.ts';
import { dial, getMessage, idIn, keep, registerMessage, tell } from './wire.ts';

export default {
  name: '30 connections that ask for 30 MiB of the KMIP listener and do not read',
  prepare: async (target: StartedTarget) => idIn(await tell(target, 'mallory', registerMessage(30 * 1_048_576))),
  async run(target: Target, signal: AbortSignal, id: string) {
    const message = getMessage(id);
    await keep(30, signal, async () => {
      const socket = await dial(target, { client: 'mallory', listener: true });
      for (let at = 0; at < 5; at += 1) socket.write(message);
      return socket;
    });
  },
} satisfies Attack;
