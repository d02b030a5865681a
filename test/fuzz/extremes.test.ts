// Every number of every request at the ends of its range: each is answered before the number decides how much is made.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { serve } from '../../actors/kmip/message/serve.ts';
import { encodeBinary } from '../../kmip/ttlv/binary.ts';
import { tagName } from '../../kmip/ttlv/names.ts';
import { bigInteger, integer, interval, longInteger, type Node, structure, TYPE } from '../../kmip/ttlv/node.ts';
import { WORKING_VERSION } from '../../kmip/version.ts';
import { readAnswer } from './answer.ts';
import { ALICE } from './key-server.ts';
import { batchItem, requestMessage } from './objects.ts';
import { openWorld } from './operations.fuzz.ts';
import { inVersion, type Request } from './requests.ts';

const world = await openWorld();
const { fuzzed, requests } = world;
const version = WORKING_VERSION;
/** Of memory, far more than an answer needs, and far less than a number that is taken at its word asks for. */
const MAX_BYTES = 128 * 2 ** 20;

function ends({ tag, type }: Node): readonly Node[] {
  if (type === TYPE.Integer) return [2 ** 31 - 1, 2 ** 24, -1, -(2 ** 31)].map((value) => integer(tag, value));
  if (type === TYPE.LongInteger) return [2n ** 63n - 1n, 2n ** 32n, -1n, -(2n ** 63n)].map((value) => longInteger(tag, value));
  if (type === TYPE.BigInteger) return [2n ** 63n, 2n ** 20_000n, -1n].map((value) => bigInteger(tag, value));
  return type === TYPE.Interval ? [2 ** 32 - 1].map((value) => interval(tag, value)) : [];
}

/** Each copy of the members has one number changed. */
function* changedIn(members: readonly Node[]): Generator<{ tag: number; payload: Node[] }> {
  for (const [at, member] of members.entries()) {
    const others = (payload: Node) => members.map((node, other) => (other === at ? payload : node));
    for (const end of ends(member)) yield { tag: member.tag, payload: others(end) };
    if (member.type !== TYPE.Structure) continue;
    for (const { tag, payload } of changedIn(member.value)) yield { tag, payload: others(structure(member.tag, payload)) };
  }
}

let tried = 0;

async function answered(operation: Request['operation'], payload: readonly Node[]): Promise<void> {
  tried += 1;
  fuzzed.reset();
  const message = requestMessage(version, [batchItem(operation, payload)]);
  readAnswer(await serve(await fuzzed.fresh(), encodeBinary(message), 'binary', 'any', ALICE), 'binary');
  assert.deepEqual(fuzzed.errors(), []);
}

for (const operation of new Set(requests.map((request) => request.operation)))
  test(operation, async () => {
    for (const request of requests.filter((each) => each.operation === operation)) {
      const written = inVersion(request, version);
      for (const { tag, payload } of changedIn(written?.payload ?? [])) {
        const before = process.memoryUsage.rss();
        await answered(operation, payload);
        const grown = process.memoryUsage.rss() - before;
        assert.ok(grown < MAX_BYTES, `${tagName(tag)}: ${grown} bytes more`);
      }
    }
  });

test('numbers were tried', () => assert.ok(tried > 300, `${tried}`));

test.after(() => fuzzed.end());

test.run();
