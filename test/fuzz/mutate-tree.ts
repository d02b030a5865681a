// Ways to break a request that stays a tree: members dropped, doubled, moved and replaced, values at their limits, other types and tags.
import { ENUM } from '../../kmip/ttlv/enumeration.ts';
import * as make from '../../kmip/ttlv/node.ts';
import { type Node, type Structure, structure, TYPE } from '../../kmip/ttlv/node.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import { IDENTIFIERS } from './objects.ts';
import type { Random } from './random.ts';

const TAGS = Object.values(TAG);
const CODES = [...new Set(Object.values(ENUM).flatMap((values) => Object.values(values) as number[]))];
const LONGEST = 65_536;

const INTEGERS = [0, 1, -1, 2, 3, 7, 8, 12, 16, 40, 56, 64, 127, 128, 192, 255, 256, 512, 521, 1000, 1024, 2048, 65_535, 65_536, 2 ** 31 - 1, -(2 ** 31)];
const DATES = [
  0,
  1,
  -1,
  1_699_999_999,
  1_700_000_001,
  2 ** 31,
  253_402_300_799,
  253_402_300_800,
  -62_135_596_801,
  8.64e12,
  8.64e12 + 1,
  2 ** 53 - 1,
  -(2 ** 53) + 1,
];
const LONGS = [0n, 1n, -1n, 2n ** 32n, 2n ** 53n, 2n ** 63n - 1n, -(2n ** 63n)];
const BIGS = [...LONGS, 2n ** 64n, 2n ** 521n - 1n, -(2n ** 2048n), 2n ** 4096n + 1n, 2n ** 20_000n];
const TEXTS = [
  ...['', ' ', 'IDPlaceholder', '["blue"]', '["a","b"]', '[]', '[', '[1]', '*', 'set@latest', 'set@first', 'set@1', 'set@999999999', '@latest', 'hsm::a::0::b'],
  ...['\0', 'a\0b', 'naïve \u{1f511}', '\u202e\u2066', '\ufffe\uffff', '\u0007\u001b[2J', '\r\n', '%s%n', "' OR 1=1 --", '../..', 'x-', 'y-a', 'x-Barcode'],
  ...['constructor', '__proto__', 'toString', 'hasOwnProperty', 'numeric', 'tag', '2024-02-30', '1e9', '-1', '36500', '\ud83d'],
  ...[
    '[ v3_ca ]\nbasicConstraints=critical,CA:true,pathlen:-1\n',
    '[ v3_ca ]\nsubjectAltName=IP:999.1.1.1,DNS:\u{1f511},URI:\n',
    'keyUsage=nothing',
    '[v3_ca]\nx=y',
  ],
  ...['x'.repeat(129), 'é'.repeat(5000), '['.repeat(2000), JSON.stringify(Array.from({ length: 1500 }, (_, at) => `t${at}`))],
];
/** Names of objects of `objects.ts`, and of requests. */
const NAMES = ['first', 'another', 'renamed', 'own', 'registered'];
const LENGTHS = [0, 1, 7, 8, 11, 12, 13, 15, 16, 17, 20, 24, 31, 32, 33, 48, 64, 100, 255, 256, 257, 512, 4096, LONGEST];

/** A value at the limits of its type, or of another one. */
function extreme(tag: number, type: Node['type'], random: Random): Node {
  switch (type) {
    case TYPE.Structure:
      return structure(tag, []);
    case TYPE.Integer:
      return make.integer(tag, random.pick(INTEGERS));
    case TYPE.LongInteger:
      return make.longInteger(tag, random.pick(LONGS));
    case TYPE.BigInteger:
      return make.bigInteger(tag, random.pick(BIGS));
    case TYPE.Enumeration:
      return make.enumeration(tag, random.pick([random.pick(CODES), random.below(70), random.pick(TAGS), 0xffff_ffff]));
    case TYPE.Boolean:
      return make.boolean(tag, random.below(2) === 0);
    case TYPE.TextString:
    case TYPE.Identifier:
    case TYPE.Reference:
    case TYPE.NameReference:
      return { tag, type, value: random.below(2) === 0 ? random.pick(type === TYPE.NameReference ? NAMES : IDENTIFIERS) : random.pick(TEXTS) };
    case TYPE.ByteString:
      return make.bytes(tag, new Uint8Array(random.pick(LENGTHS)).fill(random.below(256)));
    case TYPE.DateTime:
      return make.dateTime(tag, random.pick(DATES));
    case TYPE.Interval:
      return make.interval(tag, random.pick([0, 1, 3600, 2 ** 31, 2 ** 32 - 1]));
    default:
      return make.dateTimeExtended(tag, random.pick(LONGS));
  }
}

const anything = (tag: number, random: Random): Node => extreme(tag, random.pick(Object.values(TYPE)), random);

/** Bytes of which some are changed. */
function changedBytes({ tag, value }: make.BytesNode, random: Random): Node {
  const copy = new Uint8Array(value);
  if (copy.length > 0) copy[random.below(copy.length)] = random.below(256);
  return make.bytes(tag, random.below(3) === 0 ? copy.slice(0, random.below(copy.length + 1)) : copy);
}

function nested(node: Node, depth: number): Node {
  let within = node;
  for (let left = depth; left > 0; left--) within = structure(node.tag, [within]);
  return within;
}

const put = (members: Node[], at: number, node: Node): void => {
  members[at] = node;
};

type Change = (members: Node[], at: number, random: Random, pool: readonly Node[]) => void;

const CHANGES: readonly Change[] = [
  (members, at) => void members.splice(at, 1),
  (members, at) => void members.splice(at, 0, members[at] as Node),
  (members, at, random) => {
    const other = random.below(members.length);
    [members[at], members[other]] = [members[other] as Node, members[at] as Node];
  },
  (members, at, random) => put(members, at, extreme((members[at] as Node).tag, (members[at] as Node).type, random)),
  (members, at, random) => put(members, at, extreme((members[at] as Node).tag, (members[at] as Node).type, random)),
  (members, at, random) => put(members, at, extreme((members[at] as Node).tag, (members[at] as Node).type, random)),
  (members, at, random) => put(members, at, anything((members[at] as Node).tag, random)),
  (members, at, random) => put(members, at, { ...(members[at] as Node), tag: random.below(8) === 0 ? 0x54_0000 + random.below(99) : random.pick(TAGS) }),
  (members, at, random, pool) => put(members, at, random.pick(pool)),
  (members, at, random, pool) => void members.splice(at, 0, random.pick(pool)),
  (members, at, random, pool) => {
    const fitting = pool.filter(({ tag }) => tag === members[at]?.tag);
    if (fitting.length > 0) members[at] = random.pick(fitting);
  },
  (members, at, random) => void members.splice(at, 0, anything(random.pick(TAGS), random)),
  (members, at, random) => put(members, at, nested(members[at] as Node, random.pick([1, 2, 10, 40]))),
  (members, at, random) => {
    const node = members[at] as Node;
    members[at] = node.type === TYPE.ByteString ? changedBytes(node, random) : extreme(node.tag, node.type, random);
  },
  (members, at, random) => void members.splice(at, 0, ...Array.from({ length: random.pick([2, 30]) }, () => members[at] as Node)),
];

/** One change, anywhere in the tree. @param pool nodes of other requests */
export function changed(tree: Structure, random: Random, pool: readonly Node[]): Structure {
  const members = [...tree.value];
  if (members.length === 0) return random.below(3) === 0 ? structure(tree.tag, [random.pick(pool)]) : tree;
  const at = random.below(members.length);
  const node = members[at] as Node;
  if (node.type === TYPE.Structure && random.below(4) > 0) members[at] = changed(node, random, pool);
  else random.pick(CHANGES)(members, at, random, pool);
  return structure(tree.tag, members);
}

/** Every node of these trees. */
export function nodesOf(trees: readonly Node[]): Node[] {
  return trees.flatMap((node) => [node, ...(node.type === TYPE.Structure ? nodesOf(node.value) : [])]);
}
