// The requests that fuzzing starts from are good: each succeeds in every version that has it, and every operation has one.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { serve } from '../../actors/kmip/message/serve.ts';
import { OPERATIONS } from '../../actors/kmip/operations/index.ts';
import { encodeBinary } from '../../kmip/ttlv/binary.ts';
import { VERSIONS } from '../../kmip/version.ts';
import { readAnswer } from './answer.ts';
import { ALICE } from './key-server.ts';
import { batchItem, requestMessage } from './objects.ts';
import { openWorld } from './operations.fuzz.ts';
import { inVersion } from './requests.ts';

const world = await openWorld();
const { fuzzed, requests } = world;

for (const version of VERSIONS)
  test(`KMIP ${version.major}.${version.minor}`, async () => {
    let tried = 0;
    for (const request of requests.filter(({ alone }) => alone)) {
      const written = inVersion(request, version);
      if (!written) continue;
      fuzzed.reset();
      const message = requestMessage(version, [batchItem(written.operation, written.payload)]);
      const { items } = readAnswer(await serve(await fuzzed.fresh(), encodeBinary(message), 'binary', 'any', ALICE), 'binary');
      assert.equal(items[0]?.message, undefined, request.operation);
      tried += 1;
    }
    // The oldest version lacks the most values.
    assert.ok(tried > 50, `${tried}`);
  });

/** They succeed only with the correlation value of a request that was sent with an AsynchronousIndicator. */
const OF_LATER = ['Poll', 'Process'];

test('every operation has one', () => {
  const missing = Object.keys(OPERATIONS).filter((name) => !requests.some(({ operation, alone }) => alone && operation === name));
  assert.deepEqual(missing, OF_LATER);
});

test.after(() => fuzzed.end());

test.run();
