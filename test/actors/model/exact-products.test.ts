// Models of eight bits give the same numbers on every CPU, and are computed the slower way only where that is needed for it.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'uvu';
import { sumsExactly } from '../../../actors/model/onnx/exact-products.ts';
import { openSession } from '../../../actors/model/onnx/session.ts';
import { realModel } from '../../plugins/ai/models.ts';

process.env['ORT_DISABLE_TELEMETRY'] = '1';
const flags = (...more: string[]) => `processor\t: 0\nflags\t\t: fpu sse4_2 ${more.join(' ')} rdpid\nbugs\t\t: none\n`;

test('a CPU with VNNI sums exactly, and one that nobody describes may not', () => {
  for (const flag of ['avx512_vnni', 'avx_vnni']) assert.equal(sumsExactly('x64', flags('avx2', flag)), true);
  for (const about of [flags('avx2', 'avx512f'), flags('avx_vnni_int8'), 'model name\t: avx512_vnni\n', '']) assert.equal(sumsExactly('x64', about), false);
  assert.equal(sumsExactly('arm64', ''), true);
});

const folder = realModel('all-MiniLM-L6-v2');
if (folder)
  test('a model gives the numbers that it gives where ONNX Runtime is told to be precise', async () => {
    const path = join(folder, 'onnx/model_quantized.onnx');
    const { runtime, session } = await openSession(path, 1);
    const precise = await runtime.InferenceSession.create(path, { intraOpNumThreads: 1, logSeverityLevel: 3, extra: { session: { x64quantprecision: '1' } } });
    const [rows, width] = [4, 64];
    const numbers = (of: (at: number) => bigint) =>
      new runtime.Tensor(
        'int64',
        BigInt64Array.from({ length: rows * width }, (_, at) => of(at)),
        [rows, width],
      );
    const inputs = {
      input_ids: numbers((at) => BigInt(1_000 + ((at * 7_919) % 20_000))),
      attention_mask: numbers(() => 1n),
      token_type_ids: numbers(() => 0n),
    };
    const [own, exact] = [await session.run(inputs), await precise.run(inputs)].map((outputs) => Object.values(outputs)[0]?.data as Float32Array);
    assert.ok(own && own.length > 0);
    assert.deepEqual(own, exact);
  });

test.run();
