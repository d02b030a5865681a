// 1300 credentials with as many roles as the server accepts, listed by their administrator on six connections.
import assert from 'node:assert/strict';
import type { StartedTarget, Target } from '../target.ts';
import type { Attack } from './attack.ts';
import { dial, keep, requestBytes } from './wire.ts';

const CREDENTIALS = 1_300;
/** Bytes of one credential's roles, in the order in which they are tried. */
const SIZES = [255_000, 8_000, 4_000, 2_000, 1_000];

export default {
  name: 'lists of 1300 credentials with as many roles as the server accepts',
  async prepare(target: StartedTarget) {
    const hashed = `$argon2id$v=19$m=65536,t=3,p=4$${'A'.repeat(22)}$${'A'.repeat(43)}`;
    const roles = (size: number) => Array.from({ length: Math.floor(size / 255) }, (_, at) => String(at).padStart(250, 'x'));
    const add = async (at: number, size: number) => {
      const body = { username: `user${at}`, password_input: { hashed }, roles: roles(size) };
      return (await target.ask('POST', '/realms/r/userpass', { body })).status;
    };
    let taken = 0;
    for (const size of SIZES) if (taken === 0 && (await add(0, size)) === 201) taken = size;
    assert.ok(taken > 0, 'the server accepted no size of roles');
    // Add credentials until the quota of the realm is used up.
    for (let at = 1; at < CREDENTIALS && (await add(at, taken)) === 201; at += 1);
  },
  async run(target: Target, signal: AbortSignal) {
    const request = requestBytes('GET', '/realms/r/userpass', { cookie: `_ea_=${target.cookie}` });
    await keep(6, signal, async () => {
      const socket = await dial(target, {});
      let waits = true;
      const send = () => {
        waits = true;
        socket.write(request);
      };
      send();
      socket.on('data', () => {
        if (waits) setTimeout(send, 200);
        waits = false;
      });
      return socket;
    });
  },
} satisfies Attack;
