// One request in three encodings: three servers in the same state give the same answer and are in the same state afterwards.
import assert from 'node:assert/strict';
import type { Encoding } from '../../actors/kmip/api.ts';
import { serve } from '../../actors/kmip/message/serve.ts';
import { refusalOf } from '../../kmip/crypto-refusal.ts';
import { isNaming } from '../../kmip/message/third-version.ts';
import { encodeBinary } from '../../kmip/ttlv/binary.ts';
import { bytes, type Node, type Structure, structure, TYPE } from '../../kmip/ttlv/node.ts';
import { CODECS, readAnswer } from './answer.ts';
import { ALICE } from './key-server.ts';
import { brokenMessage, openWorld, type World } from './operations.fuzz.ts';
import type { Random } from './random.ts';
import type { FuzzTarget } from './target.ts';

interface Outcome {
  readonly tree: Structure;
  /** The objects in the store: what they are, without what is random. */
  readonly objects: string;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** New identifiers by the order in which they appear. */
function numbered(node: Node, seen: Map<string, string>): Node {
  if (node.type === TYPE.TextString || isNaming(node))
    return { ...node, value: node.value.replaceAll(UUID, (id) => seen.get(id) ?? seen.set(id, `new ${seen.size}`).get(id) ?? '') };
  if (node.type !== TYPE.Structure) return node;
  return structure(
    node.tag,
    node.value.map((member) => numbered(member, seen)),
  );
}

/** Nodes that two runs of the same request answered differently are random. */
function masked(node: Node, one: Node | undefined, other: Node | undefined): Node {
  if (node.type === TYPE.Structure) {
    const members = (like: Node | undefined, at: number) => (like?.type === TYPE.Structure ? like.value[at] : undefined);
    return structure(
      node.tag,
      node.value.map((member, at) => masked(member, members(one, at), members(other, at))),
    );
  }
  const isRandom = one && other && one.type !== TYPE.Structure && other.type !== TYPE.Structure && !same(one, other);
  return isRandom ? bytes(node.tag, new Uint8Array()) : node;
}

const binary = (node: Node): Buffer => Buffer.from(encodeBinary(structure(1, [node])));
const same = (one: Node, other: Node): boolean => binary(one).equals(binary(other));

async function outcome({ fuzzed }: World, message: Structure, encoding: Encoding): Promise<Outcome> {
  fuzzed.reset();
  const server = await fuzzed.fresh();
  const answer = await serve(server, CODECS[encoding].encode(message), encoding, 'any', ALICE);
  const rows = await server.store.all('SELECT object_type, state, owner, archived FROM kms_object ORDER BY seq');
  return { tree: numbered(readAnswer(answer, encoding).tree, new Map()) as Structure, objects: JSON.stringify(rows) };
}

/** What an encoding makes of a tree: XML cannot carry every character, none carries what is nested too deep. */
const carried = (tree: Structure, encoding: Encoding): Structure => CODECS[encoding].decode(CODECS[encoding].encode(tree));

function isCarried(message: Structure, encoding: Encoding): boolean {
  try {
    return same(carried(message, encoding), message);
  } catch (error) {
    if (refusalOf(error)) return false;
    throw error;
  }
}

async function compare(world: World, message: Structure): Promise<void> {
  const first = await outcome(world, message, 'binary');
  const second = await outcome(world, message, 'binary');
  for (const encoding of ['json', 'compact-json', 'xml'] as const) {
    if (!isCarried(message, encoding)) continue;
    const found = await outcome(world, message, encoding);
    assert.deepEqual(masked(found.tree, first.tree, second.tree), carried(masked(first.tree, first.tree, second.tree) as Structure, encoding), encoding);
    assert.equal(found.objects, first.objects, encoding);
  }
}

const TRIES = 4;

/** Two random values may be equal by chance, or of one length: what differs by more than chance differs every time. */
async function attempt(world: World, random: Random): Promise<void> {
  const message = brokenMessage(world, random);
  if (!isCarried(message, 'binary')) return;
  for (let tried = 1; ; tried++) {
    try {
      return await compare(world, message);
    } catch (cause) {
      if (tried === TRIES) throw new Error(Buffer.from(CODECS.json.encode(message)).toString(), { cause });
    }
  }
}

export const ENCODINGS_TARGET: FuzzTarget = {
  name: 'encodings',
  maxMs: 20_000,
  async open() {
    const world = await openWorld();
    return { attempt: (random) => attempt(world, random), close: () => world.fuzzed.end() };
  },
};
