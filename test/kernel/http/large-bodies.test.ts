// Large bodies: as many at once as there is memory for, by what they say of their length, and room again when they are gone.
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'uvu';
import { Fault } from '../../../kernel/fault.ts';
import { LargeBodies } from '../../../kernel/http/large-bodies.ts';

const MIB = 1_048_576;

function ask(bodies: LargeBodies, headers: Record<string, string>, bodyLimit = 64 * MIB): EventEmitter {
  const raw = new EventEmitter();
  bodies.admit({ headers } as never, { raw } as never, bodyLimit);
  return raw;
}
const length = (bytes: number) => ({ 'content-length': String(bytes) });
const overloaded = (error: unknown) => error instanceof Fault && error.code === 'OVERLOADED';

test('bodies count until their answers have left', () => {
  const bodies = new LargeBodies(100 * MIB);
  const first = ask(bodies, length(60 * MIB));
  assert.throws(() => ask(bodies, length(60 * MIB)), overloaded);
  const second = ask(bodies, length(40 * MIB));
  first.emit('close');
  ask(bodies, length(60 * MIB));
  assert.throws(() => ask(bodies, length(MIB)), overloaded);
  second.emit('close');
  ask(bodies, length(MIB));
});

test('a body that does not say how long it is counts as the longest; small and too long ones are not counted', () => {
  const bodies = new LargeBodies(64 * MIB);
  ask(bodies, { 'transfer-encoding': 'chunked' });
  assert.throws(() => ask(bodies, length(MIB)), overloaded);
  for (let at = 0; at < 1_000; at++) ask(bodies, length(MIB - 1));
  ask(bodies, length(65 * MIB));
  ask(bodies, {});
});

test.run();
