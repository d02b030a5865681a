// Refused sign-ins and operations with very long realms: the records of refusals must not fill the disk.
import type { Target } from '../target.ts';
import type { Attack } from './attack.ts';
import { dial, keep, requestBytes } from './wire.ts';

export default {
  name: 'refused requests with 15 000 characters of realm',
  async run(target: Target, signal: AbortSignal) {
    const realm = 'r'.repeat(15_000);
    const authorization = `Basic ${Buffer.from('admin:wrong').toString('base64')}`;
    const requests = [
      requestBytes('POST', `/login?realm=${realm}`, { authorization, 'content-type': 'application/json' }, '{}'),
      requestBytes('DELETE', `/sessions/realms/${realm.slice(0, 1_000)}`),
      requestBytes('GET', `/v1/crypto/keys/${realm.slice(0, 1_000)}`),
      requestBytes(
        'POST',
        '/access/grant',
        { 'content-type': 'application/json' },
        JSON.stringify({ unique_identifier: realm, user_id: realm, operation_types: ['get'] }),
      ),
    ];
    let at = 0;
    await keep(4, signal, async () => {
      const socket = await dial(target, { client: 'mallory' });
      const send = () => socket.write(requests[at++ % requests.length] as Buffer);
      send();
      socket.on('data', () => setTimeout(send, 20));
      return socket;
    });
  },
} satisfies Attack;
