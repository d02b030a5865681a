// Conversations of broken requests with a key server: every message is answered, well-formed, soon, and without a word about keys.
import assert from 'node:assert/strict';
import type { Answer, Encoding } from '../../actors/kmip/api.ts';
import { serve } from '../../actors/kmip/message/serve.ts';
import type { KeyServer } from '../../actors/kmip/server.ts';
import { inspectPayload } from '../../kernel/runtime/channel/bytes.ts';
import { ENUM } from '../../kmip/ttlv/enumeration.ts';
import { encodeJson } from '../../kmip/ttlv/json.ts';
import { boolean, bytes, enumeration, integer, type Node, type Structure, structure, TYPE } from '../../kmip/ttlv/node.ts';
import { bytesOf, child } from '../../kmip/ttlv/read.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import { VERSIONS, type Version, WORKING_VERSION } from '../../kmip/version.ts';
import { CODECS, checkSilence, readAnswer } from './answer.ts';
import { ALICE, type FuzzedServer, openFuzzedServer } from './key-server.ts';
import { BROUGHT } from './members.ts';
import { BINARY, BYTES, mutated } from './mutate.ts';
import { changed, nodesOf } from './mutate-tree.ts';
import { batchItem, makeObjects, requestMessage, SECRETS } from './objects.ts';
import type { Random } from './random.ts';
import { inVersion, type Request, requestsOver } from './requests.ts';
import type { FuzzTarget } from './target.ts';

export interface World {
  readonly fuzzed: FuzzedServer;
  readonly requests: readonly Request[];
  /** The requests as clients of each version write them. */
  readonly written: ReadonlyMap<Version, readonly Pick<Request, 'operation' | 'payload'>[]>;
  readonly pool: readonly Node[];
}

export async function openWorld(): Promise<World> {
  const fuzzed = await openFuzzedServer();
  const requests = requestsOver(await makeObjects(await fuzzed.fresh()));
  fuzzed.keep();
  const written = VERSIONS.map((version) => [version, requests.flatMap((request) => inVersion(request, version) ?? [])] as const);
  const all = [...requests, ...written.flatMap(([{ major }, forms]) => (major === 3 ? forms : []))];
  return { fuzzed, requests, written: new Map(written), pool: nodesOf(all.flatMap(({ payload }) => payload)) };
}

/** Of every two messages one has a single item. */
const ITEMS = [1, 1, 1, 2, 3, 5];
const CONTINUATIONS = Object.values(ENUM.BatchErrorContinuationOption);

/** A message of one to some items, broken or not, in a version that knows the first of its requests. */
export function brokenMessage({ requests, written, pool }: World, random: Random): Structure {
  const version = random.below(2) === 0 ? WORKING_VERSION : random.pick(VERSIONS);
  const known = written.get(version) ?? [];
  const items: Structure[] = [];
  for (let left = random.pick(ITEMS); left > 0; left--) {
    const { operation, payload } = random.pick(random.below(20) === 0 ? requests : known);
    // The place holder takes the place of what is not named.
    const named = items.length > 0 && random.below(6) === 0 ? payload.filter(({ tag }) => tag !== TAG.UniqueIdentifier) : payload;
    let tree = structure(TAG.RequestPayload, named);
    for (let changes = random.pick([0, 1, 1, 1, 2, 4]); changes > 0; changes--) tree = changed(tree, random, pool);
    items.push(batchItem(operation, tree.value));
  }
  const header: Node[] = [];
  if (random.below(3) === 0) header.push(enumeration(TAG.BatchErrorContinuationOption, random.pick(CONTINUATIONS)));
  if (random.below(40) === 0) header.push(integer(TAG.MaximumResponseSize, random.pick([0, 1, 200, 2 ** 31 - 1])));
  if (random.below(10) === 0) header.push(boolean(TAG.BatchOrderOption, true));
  const message = requestMessage(version, items, header);
  return random.below(12) === 0 ? changed(message, random, pool) : message;
}

/** The tree with every correlation value replaced by one that the server gave. */
function continued(tree: Structure, value: Uint8Array): Structure {
  return structure(
    tree.tag,
    tree.value.map((node) => (node.tag === TAG.CorrelationValue ? bytes(node.tag, value) : node.type === TYPE.Structure ? continued(node, value) : node)),
  );
}

const ENCODINGS = Object.keys(CODECS) as Encoding[];
const MESSAGES = 3;

async function attempt(world: World, random: Random): Promise<void> {
  world.fuzzed.reset();
  const server = await world.fuzzed.fresh();
  let value: Uint8Array | undefined;
  for (let left = 1 + random.below(MESSAGES); left > 0; left--) {
    const tree = brokenMessage(world, random);
    value = (await ask(world, server, value ? continued(tree, value) : tree, random)) ?? value;
  }
}

/** The first item as JSON without a message around it. */
function bareOperation(message: Structure): Uint8Array | undefined {
  const item = message.value.find(({ tag }) => tag === TAG.BatchItem);
  if (item?.type !== TYPE.Structure) return undefined;
  const [operation, payload] = [child(item, TAG.Operation), child(item, TAG.RequestPayload)];
  const name = Object.entries(ENUM.Operation).find(([, code]) => code === operation?.value)?.[0];
  return name !== undefined && payload?.type === TYPE.Structure ? encodeJson(payload, name) : undefined;
}

function checkBare({ status, body }: Answer): undefined {
  const answer = JSON.parse(Buffer.from(body).toString()) as Record<string, unknown>;
  if (status === 200) return void assert.ok(typeof answer['tag'] === 'string');
  assert.ok(status === 404 || status === 422, `status ${status}`);
  assert.deepEqual(Object.keys(answer), ['code', 'message', 'errors', 'request_id']);
  assert.ok(!String(answer['message']).includes('internal error'));
  checkSilence(String(answer['message']), SECRETS, 'the message');
}

/** @returns a correlation value of the answer */
async function ask({ fuzzed }: World, server: KeyServer, tree: Structure, random: Random): Promise<Uint8Array | undefined> {
  const encoding = random.pick(ENCODINGS);
  const isBare = encoding !== 'binary' && encoding !== 'xml' && random.below(3) === 0;
  const whole = (isBare && bareOperation(tree)) || CODECS[encoding].encode(tree);
  const isBytes = random.below(5) === 0;
  const message = isBytes ? mutated([whole], encoding === 'binary' ? [...BYTES, ...BINARY] : BYTES, random) : whole;
  const endpoint = random.pick(['any', 'any', '2_1', '1_4'] as const);
  try {
    const answer = await serve(server, message, encoding, endpoint, ALICE);
    assert.deepEqual(fuzzed.errors(), []);
    checkSilence(fuzzed.said(), SECRETS, 'the log');
    inspectPayload(answer);
    // Broken JSON may be a bare operation, or nothing at all, which is answered as such.
    if (encoding !== 'binary' && encoding !== 'xml' && (isBare || answer.status !== 200)) return checkBare(answer);
    const { items } = readAnswer(answer, encoding);
    const messages = items.map((item) => item.message).join('\n');
    checkSilence(messages, SECRETS, 'the message');
    if (!isBytes) checkSilence(messages, [BROUGHT], 'the message');
    return items.map(({ payload }) => payload && bytesOf(payload, TAG.CorrelationValue)).find((found) => found !== undefined);
  } catch (cause) {
    throw new Error(`${endpoint} ${encoding} ${encoding === 'binary' ? Buffer.from(message).toString('hex') : Buffer.from(message).toString()}`, { cause });
  }
}

export const OPERATIONS_TARGET: FuzzTarget = {
  name: 'operations',
  maxMs: 5_000,
  async open() {
    const world = await openWorld();
    return { attempt: (random) => attempt(world, random), close: () => world.fuzzed.end() };
  },
};
