// A further front comes warm: it computes the known answers and serves the warm-up before it opens its ports, while others serve.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import type { Load } from '../../../kernel/fronts/growth.ts';
import { IS_ON_POSTGRES } from '../../database.ts';
import { until } from '../../runtime.ts';
import { startServer, type TestServer } from '../../server.ts';

const BUSY: Load = { fronts: 0.99, free: 0.9, left: 0.98 };
const LOOK_MS = 1_000;
const LOOKS = 3;
/** A thread starts in one second, and in many where other work has the cores. */
const START_MS = 60_000;

let server: TestServer;
test.before(async () => {
  const growth = { cores: 2, load: async () => BUSY };
  server = await startServer({ env: { GATEHOUSE_HTTP_THREADS: '0', GATEHOUSE_KEYS_SELF_TESTS: 'true' }, growth });
});
test.after(() => server?.end());

test('all its known answers are computed and its warm-up is served when it joins', async () => {
  for (let n = 0; n < LOOKS; n += 1) await server.runtime.advance(LOOK_MS);
  await until(() => server.fronts?.supervisors.length === 1, 'one more serves', START_MS);
  const selfTest = server.fronts?.supervisors[0]?.status?.selfTest;
  // A front in a thread of its own has no part of the key server where it would need the password of a database.
  if (IS_ON_POSTGRES) assert.equal(selfTest, undefined);
  else assert.deepEqual([selfTest?.isWarm, selfTest?.left, selfTest?.wrong], [true, 0, 0]);
  assert.equal((await server.ask('GET', '/ready')).status, 200);
});

test.run();
