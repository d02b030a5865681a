// The TTLV tree, which the decoders of all three encodings build and the encoders write (KMIP specification 2.1 section 10).
import { ENUM } from './enumeration.ts';

export const TYPE = ENUM.ItemType;

export interface Structure {
  readonly tag: number;
  readonly type: typeof TYPE.Structure;
  readonly value: readonly Node[];
}

/** 32 bits, signed. Masks have this type too. */
interface IntegerNode {
  readonly tag: number;
  readonly type: typeof TYPE.Integer;
  readonly value: number;
}

/** LongInteger: 64 bits, signed. BigInteger: any number of bits, signed. DateTimeExtended: microseconds since the epoch. */
interface BigNode<T extends number = typeof TYPE.LongInteger> {
  readonly tag: number;
  readonly type: T;
  readonly value: bigint;
}

/** A code, 32 bits, unsigned; `ENUM` has the names. */
interface EnumerationNode {
  readonly tag: number;
  readonly type: typeof TYPE.Enumeration;
  readonly value: number;
}

interface BooleanNode {
  readonly tag: number;
  readonly type: typeof TYPE.Boolean;
  readonly value: boolean;
}

interface TextNode {
  readonly tag: number;
  readonly type: typeof TYPE.TextString;
  readonly value: string;
}

/** Names an object: the types that KMIP 3.0 has for this. Operations work on the form of 2.1, which has texts instead (`third-version.ts`). */
export interface NamingNode {
  readonly tag: number;
  readonly type: typeof TYPE.Identifier | typeof TYPE.Reference | typeof TYPE.NameReference;
  readonly value: string;
}

export interface BytesNode {
  readonly tag: number;
  readonly type: typeof TYPE.ByteString;
  readonly value: Uint8Array;
}

/** DateTime: whole seconds since the epoch, in the range of safe integers. Interval: seconds, 32 bits, unsigned. */
interface SecondsNode<T extends number = typeof TYPE.DateTime> {
  readonly tag: number;
  readonly type: T;
  readonly value: number;
}

export type Node =
  | Structure
  | IntegerNode
  | BigNode
  | BigNode<typeof TYPE.BigInteger>
  | BigNode<typeof TYPE.DateTimeExtended>
  | EnumerationNode
  | BooleanNode
  | TextNode
  | NamingNode
  | BytesNode
  | SecondsNode
  | SecondsNode<typeof TYPE.Interval>;

export const structure = (tag: number, value: readonly Node[]): Structure => ({ tag, type: TYPE.Structure, value });
export const integer = (tag: number, value: number): IntegerNode => ({ tag, type: TYPE.Integer, value });
export const longInteger = (tag: number, value: bigint): BigNode => ({ tag, type: TYPE.LongInteger, value });
export const bigInteger = (tag: number, value: bigint): BigNode<typeof TYPE.BigInteger> => ({ tag, type: TYPE.BigInteger, value });
export const enumeration = (tag: number, value: number): EnumerationNode => ({ tag, type: TYPE.Enumeration, value });
export const boolean = (tag: number, value: boolean): BooleanNode => ({ tag, type: TYPE.Boolean, value });
export const text = (tag: number, value: string): TextNode => ({ tag, type: TYPE.TextString, value });
export const bytes = (tag: number, value: Uint8Array): BytesNode => ({ tag, type: TYPE.ByteString, value });
export const dateTime = (tag: number, value: number): SecondsNode => ({ tag, type: TYPE.DateTime, value });
export const interval = (tag: number, value: number): SecondsNode<typeof TYPE.Interval> => ({ tag, type: TYPE.Interval, value });
export const dateTimeExtended = (tag: number, value: bigint): BigNode<typeof TYPE.DateTimeExtended> => ({ tag, type: TYPE.DateTimeExtended, value });
