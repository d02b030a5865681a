// Writes ONNX files: the few messages of onnx.proto3 that a graph needs, encoded as protocol buffers.

const TYPES = { float: 1, int8: 3, int64: 7, bool: 9, float16: 10 } as const;
export type ElementType = keyof typeof TYPES;
/** A number is a fixed size, a name a free one. */
export type Shape = readonly (number | string)[];
type Attribute = number | string | readonly number[] | Graph | { readonly float: number };

/** One message of a protocol buffer. */
class Message {
  readonly #parts: Uint8Array[] = [];

  int(field: number, value: number | bigint): this {
    this.#parts.push(varint(field << 3), varint(value));
    return this;
  }
  float(field: number, value: number): this {
    this.#parts.push(varint((field << 3) | 5), new Uint8Array(Float32Array.of(value).buffer));
    return this;
  }
  bytes(field: number, value: Uint8Array): this {
    this.#parts.push(varint((field << 3) | 2), varint(value.length), value);
    return this;
  }
  text(field: number, value: string): this {
    return this.bytes(field, Buffer.from(value));
  }
  message(field: number, value: Message): this {
    return this.bytes(field, value.encode());
  }
  encode(): Uint8Array {
    return Buffer.concat(this.#parts);
  }
}

function varint(value: number | bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest > 0n ? low | 0x80 : low);
  } while (rest > 0n);
  return Uint8Array.from(bytes);
}

function raw(type: ElementType, values: readonly number[] | Float32Array): Uint8Array {
  if (type === 'float') return new Uint8Array(Float32Array.from(values).buffer);
  if (type === 'int64') return new Uint8Array(BigInt64Array.from(values as readonly number[], BigInt).buffer);
  return type === 'int8' ? new Uint8Array(Int8Array.from(values).buffer) : Uint8Array.from(values);
}

function tensor(name: string, type: ElementType, dims: readonly number[], values: readonly number[] | Float32Array): Message {
  const message = new Message();
  for (const size of dims) message.int(1, size);
  return message.int(2, TYPES[type]).text(8, name).bytes(9, raw(type, values));
}

/** A tensor whose numbers lie in another file (`TensorProto.external_data`). */
function tensorElsewhere(name: string, dims: readonly number[], { location, offset, length }: { location: string; offset: number; length: number }): Message {
  const message = new Message();
  for (const size of dims) message.int(1, size);
  message.int(2, TYPES.float).text(8, name);
  for (const [key, value] of Object.entries({ location, offset, length })) message.message(13, new Message().text(1, key).text(2, String(value)));
  return message.int(14, 1);
}

function valueInfo(name: string, type: ElementType, shape: Shape): Message {
  const dims = new Message();
  for (const size of shape) dims.message(1, typeof size === 'number' ? new Message().int(1, size) : new Message().text(2, size));
  return new Message().text(1, name).message(2, new Message().message(1, new Message().int(1, TYPES[type]).message(2, dims)));
}

function attribute(name: string, value: Attribute): Message {
  const message = new Message().text(1, name);
  if (value instanceof Graph) return message.message(6, value.encode()).int(20, 5);
  if (typeof value === 'number') return message.int(3, value).int(20, 2);
  if (typeof value === 'string') return message.bytes(4, Buffer.from(value)).int(20, 3);
  if ('float' in value) return message.float(2, value.float).int(20, 1);
  for (const each of value) message.int(8, each);
  return message.int(20, 7);
}

/** Weight matrices of at least this many numbers are stored as int8 in quantised files. */
const QUANTISED_FROM = 256;

/** Beside ONNX's own operators: those that ONNX Runtime adds, which files of chat models have. */
const MICROSOFT = 'com.microsoft';
const MICROSOFT_OPERATORS = ['GroupQueryAttention'];

/** Weights belong to the outermost graph, so that branches share them. */
export class Graph {
  readonly #name: string;
  readonly #top: Graph;
  readonly #quantised: boolean;
  readonly #nodes: Message[] = [];
  readonly #weights = new Map<string, Message>();
  /** What makes weights of their quantised forms; comes before every other node. */
  readonly #unpacking: Message[] = [];
  readonly #inputs: Message[] = [];
  readonly #outputs: Message[] = [];
  /** File beside this one that matrices lie in, and what lies in it. */
  readonly #beside: string | undefined;
  readonly #elsewhere: Uint8Array[] = [];
  #hasMicrosoft = false;
  #count = 0;

  constructor(name: string, options: { readonly inside?: Graph; readonly quantised?: boolean; readonly beside?: string } = {}) {
    this.#name = name;
    this.#beside = options.beside;
    this.#top = options.inside ?? this;
    this.#quantised = options.quantised ?? false;
  }

  /** The outermost graph, whose values its branches see. */
  get outer(): Graph {
    return this.#top;
  }

  input(name: string, type: ElementType, shape: Shape): string {
    this.#inputs.push(valueInfo(name, type, shape));
    return name;
  }

  output(name: string, type: ElementType, shape: Shape): void {
    this.#outputs.push(valueInfo(name, type, shape));
  }

  weight(name: string, dims: readonly number[], values: Float32Array | readonly number[], type: ElementType = 'float'): string {
    const top = this.#top;
    if (top.#weights.has(name)) return name;
    if (top.#beside !== undefined && type === 'float' && dims.length === 2) {
      const [bytes, offset] = [raw(type, values), top.#elsewhere.reduce((sum, { length }) => sum + length, 0)];
      top.#elsewhere.push(bytes);
      top.#weights.set(name, tensorElsewhere(name, dims, { location: top.#beside, offset, length: bytes.length }));
      return name;
    }
    if (!(top.#quantised && type === 'float' && dims.length === 2 && values.length >= QUANTISED_FROM)) {
      top.#weights.set(name, tensor(name, type, dims, values));
      return name;
    }
    const scale = Array.from(values).reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9) / 127;
    const packed = Array.from(values, (value) => Math.round(value / scale));
    top.#weights.set(name, tensor(`${name}_int8`, 'int8', dims, packed));
    top.#weights.set(`${name}_scale`, tensor(`${name}_scale`, 'float', [], [scale]));
    top.#weights.set(`${name}_zero`, tensor(`${name}_zero`, 'int8', [], [0]));
    top.#unpacking.push(top.#node('DequantizeLinear', [`${name}_int8`, `${name}_scale`, `${name}_zero`], {}, [name]));
    return name;
  }

  ints(...values: readonly number[]): string {
    return this.weight(`ints_${values.join('_')}`, [values.length], values, 'int64');
  }
  int(value: number): string {
    return this.weight(`int_${value}`, [], [value], 'int64');
  }
  number(value: number): string {
    return this.weight(`number_${value}`, [], [value]);
  }

  #node(type: string, inputs: readonly string[], attributes: Readonly<Record<string, Attribute>>, outputs: readonly string[]): Message {
    const node = new Message();
    for (const input of inputs) node.text(1, input);
    for (const output of outputs) node.text(2, output);
    node.text(3, `${type}_${this.#top.#count++}`).text(4, type);
    for (const [name, value] of Object.entries(attributes)) node.message(5, attribute(name, value));
    return MICROSOFT_OPERATORS.includes(type) ? node.text(7, MICROSOFT) : node;
  }

  /** @param outputs names of the results; without them one is made up @returns the name of the first */
  op(type: string, inputs: readonly string[], attributes: Readonly<Record<string, Attribute>> = {}, outputs?: readonly string[]): string {
    const names = outputs ?? [`value_${this.#top.#count++}`];
    this.#nodes.push(this.#node(type, inputs, attributes, names));
    if (MICROSOFT_OPERATORS.includes(type)) this.#top.#hasMicrosoft = true;
    return names[0] as string;
  }

  encode(): Message {
    const graph = new Message();
    for (const node of [...this.#unpacking, ...this.#nodes]) graph.message(1, node);
    graph.text(2, this.#name);
    for (const weight of this.#weights.values()) graph.message(5, weight);
    for (const input of this.#inputs) graph.message(11, input);
    for (const output of this.#outputs) graph.message(12, output);
    return graph;
  }

  /** @returns the bytes of an ONNX file of operator set 17 */
  file(): Uint8Array {
    const own = new Message().text(1, '').int(2, 17);
    const file = new Message().int(1, 8).text(2, 'gatehouse').message(7, this.encode()).message(8, own);
    return (this.#hasMicrosoft ? file.message(8, new Message().text(1, MICROSOFT).int(2, 1)) : file).encode();
  }

  /** @returns the bytes of the file beside this one */
  get elsewhere(): Uint8Array {
    return Buffer.concat(this.#elsewhere);
  }
}
