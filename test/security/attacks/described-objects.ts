// Lists of 30 objects of 40 MiB: the server must not load objects to describe them.
import { structure } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { StartedTarget, Target } from '../target.ts';
import type { Attack } from './attack.ts';
import { dial, keep, kmipMessage, registerMessage, requestBytes, tell } from './wire.ts';

const OBJECTS = 30;

export default {
  name: 'lists of 30 objects of 40 MiB',
  async prepare(target: StartedTarget) {
    const message = registerMessage(40 * 1_048_576);
    // A server with quotas refuses some of them; then there are fewer.
    for (let at = 0; at < OBJECTS; at += 1) await tell(target, 'mallory', message);
  },
  async run(target: Target, signal: AbortSignal) {
    const lists = [requestBytes('GET', '/access/owned'), requestBytes('GET', '/access/obtained')];
    const locate = kmipMessage('Locate', structure(TAG.Attributes, []));
    let count = 0;
    await keep(6, signal, async () => {
      const listener = ++count % 2 === 0;
      const socket = await dial(target, { client: 'mallory', listener });
      const send = () => socket.write(listener ? locate : (lists[count++ % lists.length] as Buffer));
      send();
      socket.on('data', () => setTimeout(send, 50));
      return socket;
    });
  },
} satisfies Attack;
