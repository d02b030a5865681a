// An actor whose process writes garbage to the kernel, as a native library could that went astray.
import { defineActor } from '../../kernel/actor.ts';
import { CALL, CONTROL, FAULT, VALUE } from '../../kernel/runtime/channel/messages.ts';

export type GarblingApi = { garble(): Promise<number>; echo(text: string): string };

function nested(depth: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

/** Messages of the IPC as this server never sends them. */
const PARCELS: readonly unknown[] = [
  null,
  7,
  'a text',
  {},
  { channel: '0', batch: [] },
  { channel: 0.5, batch: [] },
  { channel: 0, batch: 'x' },
  { channel: 999, batch: [[VALUE, 1, 0, 1]] },
];
const BATCH: readonly unknown[] = [
  ...[null, 7, 'a text', {}, [], [VALUE], [VALUE, 'n', 0, 1], [VALUE, 999_999, 0, 'nobody asked'], [FAULT, 999_999, 0, null], [9, 1], nested(1_000)],
  ...[
    [CALL, 1, 'echo', undefined, []],
    [CONTROL, null],
    [CONTROL, 'stop'],
    [CONTROL, { kind: 'failed' }],
    [CONTROL, { kind: 'aside', n: {} }],
  ],
  ...[
    [CONTROL, { kind: 'log' }],
    [CONTROL, { kind: 'log', level: 'constructor', message: 'x', fields: null }],
    [CONTROL, { kind: 'report', status: null }],
    [CONTROL, { kind: 'report', status: {} }],
  ],
];

export default defineActor<GarblingApi, null>((_, ctx) => {
  const send = (message: unknown) =>
    new Promise<void>((resolve, reject) => process.send?.(message, undefined, {}, (error) => (error ? reject(error) : resolve())));
  return {
    api: {
      async garble() {
        ctx.report({ ready: true, note: 'fine' });
        for (const parcel of PARCELS) await send(parcel);
        for (const message of BATCH) await send({ channel: 0, batch: [message] });
        return process.pid;
      },
      echo: (text) => text,
    },
  };
});
