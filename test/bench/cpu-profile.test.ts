// The bench reads profiles of V8: parts add up, recompiled functions are one frame, and the profiler itself does not count.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { type CpuProfile, framesOf, layersOf } from '../../bench/report/cpu-profile.ts';
import { flameOf } from '../../bench/report/flame-chart.ts';

const root = new URL('../../', import.meta.url).href;
const rounded = (part: number | undefined) => Number(part?.toFixed(9));
const node = (id: number, functionName: string, url: string, ...children: number[]) => ({ id, callFrame: { functionName, url, lineNumber: 9 }, children });

const PROFILE: CpuProfile = {
  nodes: [
    node(1, '(root)', '', 2, 3, 7, 8),
    node(2, '(idle)', ''),
    node(3, 'onRequest', `${root}kernel/http/front.ts`, 4, 5),
    node(4, 'encrypt', `${root}crypto/cipher/cipher.ts`, 6),
    node(5, 'encrypt', `${root}crypto/cipher/cipher.ts`),
    node(6, 'update', 'node:internal/crypto/cipher'),
    node(7, 'handle', `${root}bench/fakes/profile-route.ts`, 9),
    node(8, '(garbage collector)', ''),
    node(9, 'post', 'node:inspector'),
  ],
  samples: [2, 3, 4, 5, 6, 8, 9, 7],
  timeDeltas: [500, 10, 20, 30, 20, 20, 400, 400],
};

test('frames have their parts of the busy time, the largest first', () => {
  const frames = framesOf(PROFILE);
  assert.deepEqual(
    frames.map(({ name, layer, own, part }) => [name, layer, rounded(own), rounded(part)]),
    [
      ['onRequest kernel/http/front.ts:10', 'kernel', 0.1, 0.8],
      ['(garbage collector)', 'V8', 0.2, 0.2],
    ],
  );
  // Compiled twice, so twice in the profile.
  const [encrypt, ...others] = frames[0]?.children ?? [];
  assert.deepEqual([encrypt?.name, rounded(encrypt?.part), encrypt?.children.length, others], ['encrypt crypto/cipher/cipher.ts:10', 0.7, 1, []]);
});

test('layers add up to all of it', () => {
  const layers = layersOf(framesOf(PROFILE));
  assert.deepEqual([...layers.keys()], ['crypto', 'node', 'V8', 'kernel']);
  assert.ok(Math.abs([...layers.values()].reduce((sum, part) => sum + part, 0) - 1) < 1e-9);
});

test('a profile of a thread that did nothing has no frames, and is drawn', () => {
  const idle = framesOf({ ...PROFILE, samples: [2, 2], timeDeltas: [1, 1] });
  assert.deepEqual(idle, []);
  assert.match(flameOf('nothing', idle), /^<svg /);
});

test('a flame graph names the frames that are wide enough', () => {
  const svg = flameOf('Encrypt', framesOf(PROFILE));
  assert.match(svg, /onRequest kernel\/http\/front\.ts:10 80\.0 %/);
  assert.ok(!svg.includes('profile-route'));
});

test.run();
