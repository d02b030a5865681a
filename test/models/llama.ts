// A model for chats as the hub has them (Llama, Qwen, Mistral): rotary positions, grouped queries, a sliding window. Its weights are chance: what it says means nothing, but is always the same.
import { Graph } from './onnx.ts';
import { numbersFrom } from './phrasebook.ts';

export interface LlamaShape {
  readonly words: number;
  /** The operator of ONNX Runtime, which counts positions by itself; else plain operators, and positions are given. */
  readonly isFused: boolean;
  /** Tokens that a token sees; 0 for all. */
  readonly sees?: number;
  /** File that matrices lie in. */
  readonly beside?: string;
  /** As older files have it: a switch tells the first step, which has no caches. */
  readonly hasSwitch?: boolean;
}

const [HEADS, GROUPS, SIZE, LAYERS, INNER] = [4, 2, 16, 2, 96];
const MODEL = HEADS * SIZE;
const LLAMA_TOKENS = 512;
export const LLAMA_CONFIG = {
  num_hidden_layers: LAYERS,
  num_attention_heads: HEADS,
  num_key_value_heads: GROUPS,
  hidden_size: MODEL,
  max_position_embeddings: LLAMA_TOKENS,
};
const [FLOAT, INT32] = [1, 6];

const NOW = ['batch_size', 'sequence_length'];
const cache = (length: string) => ['batch_size', GROUPS, length, SIZE];

/** Turns of each position: cosines or sines of its angles (Su et al. 2021). */
function turns(of: (angle: number) => number): Float32Array {
  const half = SIZE / 2;
  return Float32Array.from({ length: LLAMA_TOKENS * half }, (_, at) => of(Math.floor(at / half) / 10_000 ** ((at % half) / half)));
}

class Builder {
  readonly g: Graph;
  readonly #shape: LlamaShape;
  readonly #next = numbersFrom(11);

  constructor(shape: LlamaShape) {
    this.#shape = shape;
    this.g = new Graph('llama', shape.beside === undefined ? {} : { beside: shape.beside });
  }

  chance(name: string, rows: number, cols: number): string {
    return this.g.weight(
      name,
      [rows, cols],
      Float32Array.from({ length: rows * cols }, () => (this.#next() - 0.5) * (4 / Math.sqrt(rows))),
    );
  }
  linear(x: string, name: string, from: number, to: number): string {
    return this.g.op('MatMul', [x, this.chance(name, from, to)]);
  }
  norm(x: string): string {
    const mean = this.g.op('ReduceMean', [this.g.op('Mul', [x, x])], { axes: [-1], keepdims: 1 });
    return this.g.op('Div', [x, this.g.op('Sqrt', [this.g.op('Add', [mean, this.g.number(1e-6)])])]);
  }
  /** From [batch, length, heads * size] to [batch, heads, length, size]. */
  heads(x: string, count: number): string {
    return this.g.op('Transpose', [this.g.op('Reshape', [x, this.g.ints(0, -1, count, SIZE)])], { perm: [0, 2, 1, 3] });
  }
  turned(x: string): string {
    const of = (table: string, values: Float32Array) =>
      this.g.op('Unsqueeze', [this.g.op('Gather', [this.g.weight(table, [LLAMA_TOKENS, SIZE / 2], values), 'position_ids']), this.g.ints(1)]);
    const [cos, sin] = [of('cosines', turns(Math.cos)), of('sines', turns(Math.sin))];
    const part = (from: number) => this.g.op('Slice', [x, this.g.ints(from), this.g.ints(from + SIZE / 2), this.g.ints(3)]);
    const [a, b] = [part(0), part(SIZE / 2)];
    const mixed = (type: string, first: string, second: string) => this.g.op(type, [this.g.op('Mul', [a, first]), this.g.op('Mul', [b, second])]);
    return this.g.op('Concat', [mixed('Sub', cos, sin), mixed('Add', sin, cos)], { axis: 3 });
  }
  plain(query: string, key: string, value: string, layer: number): string {
    const { g } = this;
    const past = (part: string, now: string) => g.op('Concat', [`past_key_values.${layer}.${part}`, now], { axis: 2 }, [`present.${layer}.${part}`]);
    const [q, k, v] = [this.turned(this.heads(query, HEADS)), past('key', this.turned(this.heads(key, GROUPS))), past('value', this.heads(value, GROUPS))];
    // Each group of queries has one key.
    const wide = (x: string) => {
      const many = g.op('Expand', [g.op('Unsqueeze', [x, g.ints(2)]), g.ints(1, 1, HEADS / GROUPS, 1, 1)]);
      return g.op('Reshape', [many, g.ints(0, HEADS, -1, SIZE)]);
    };
    const scores = g.op('Mul', [g.op('MatMul', [q, g.op('Transpose', [wide(k)], { perm: [0, 1, 3, 2] })]), g.number(1 / Math.sqrt(SIZE))]);
    const all = g.op('MatMul', [g.op('Softmax', [g.op('Add', [scores, this.#hidden()])], { axis: -1 }), wide(v)]);
    return g.op('Reshape', [g.op('Transpose', [all], { perm: [0, 2, 1, 3] }), g.ints(0, -1, MODEL)]);
  }
  /** Scores of what a token does not see: padding, what comes later, what is too long ago. */
  #hidden(): string {
    const { g } = this;
    const one = (x: string, axis: number) => g.op('Squeeze', [g.op('Slice', [g.op('Shape', [x]), g.ints(axis), g.ints(axis + 1), g.ints(0)]), g.ints(0)]);
    const [total, now] = [one('attention_mask', 1), one('input_ids', 1)];
    const columns = g.op('Unsqueeze', [g.op('Range', [g.int(0), total, g.int(1)]), g.ints(0)]);
    const rows = g.op('Unsqueeze', [g.op('Range', [g.op('Sub', [total, now]), total, g.int(1)]), g.ints(1)]);
    const later = g.op('Greater', [columns, rows]);
    const { sees = 0 } = this.#shape;
    const unseen = sees === 0 ? later : g.op('Or', [later, g.op('LessOrEqual', [columns, g.op('Sub', [rows, g.int(sees)])])]);
    const padding = g.op('Unsqueeze', [g.op('Equal', ['attention_mask', g.int(0)]), g.ints(1, 2)]);
    return g.op('Mul', [g.op('Cast', [g.op('Or', [unseen, padding])], { to: FLOAT }), g.number(-1e9)]);
  }
  fused(query: string, key: string, value: string, layer: number): string {
    const { g } = this;
    const counted = g.op('Sub', [g.op('ReduceSum', ['attention_mask', g.ints(1)], { keepdims: 0 }), g.int(1)]);
    const total = g.op('Squeeze', [g.op('Slice', [g.op('Shape', ['attention_mask']), g.ints(1), g.ints(2), g.ints(0)]), g.ints(0)]);
    const whole = (x: string) => g.op('Cast', [x], { to: INT32 });
    const tables = [g.weight('cosines', [LLAMA_TOKENS, SIZE / 2], turns(Math.cos)), g.weight('sines', [LLAMA_TOKENS, SIZE / 2], turns(Math.sin))];
    const inputs = [query, key, value, `past_key_values.${layer}.key`, `past_key_values.${layer}.value`, whole(counted), whole(total), ...tables];
    const { sees = 0 } = this.#shape;
    const settings = { num_heads: HEADS, kv_num_heads: GROUPS, do_rotary: 1, ...(sees > 0 && { local_window_size: sees }) };
    return g.op('GroupQueryAttention', inputs, settings, [`attention.${layer}`, `present.${layer}.key`, `present.${layer}.value`]);
  }
}

/** @returns the graph, and what lies in the file beside it */
export function llamaFile(shape: LlamaShape): { readonly graph: Uint8Array; readonly beside: Uint8Array } {
  const build = new Builder(shape);
  const { g } = build;
  const ids = g.input('input_ids', 'int64', NOW);
  g.input('attention_mask', 'int64', ['batch_size', 'total_sequence_length']);
  // Files of fused models may have it too.
  g.input('position_ids', 'int64', NOW);
  if (shape.hasSwitch) g.op('Identity', [g.input('use_cache_branch', 'bool', [1])]);
  for (let layer = 0; layer < LAYERS; layer += 1)
    for (const part of ['key', 'value']) {
      g.input(`past_key_values.${layer}.${part}`, 'float', cache('past_sequence_length'));
      g.output(`present.${layer}.${part}`, 'float', cache('total_sequence_length'));
    }
  let x = g.op('Gather', [build.chance('words', shape.words, MODEL), ids]);
  for (let layer = 0; layer < LAYERS; layer += 1) {
    const seen = build.norm(x);
    const of = (name: string, to: number) => build.linear(seen, `${name}.${layer}`, MODEL, to);
    const parts = [of('query', MODEL), of('key', GROUPS * SIZE), of('value', GROUPS * SIZE)] as const;
    const attended = shape.isFused ? build.fused(...parts, layer) : build.plain(...parts, layer);
    x = g.op('Add', [x, build.linear(attended, `out.${layer}`, MODEL, MODEL)]);
    const inner = build.norm(x);
    const gate = build.linear(inner, `gate.${layer}`, MODEL, INNER);
    const wide = g.op('Mul', [g.op('Mul', [gate, g.op('Sigmoid', [gate])]), build.linear(inner, `wide.${layer}`, MODEL, INNER)]);
    x = g.op('Add', [x, build.linear(wide, `narrow.${layer}`, INNER, MODEL)]);
  }
  g.op('MatMul', [build.norm(x), build.chance('scores', MODEL, shape.words)], {}, ['logits']);
  g.output('logits', 'float', [...NOW, shape.words]);
  return { graph: g.file(), beside: g.elsewhere };
}
