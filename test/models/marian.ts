// A translation model as the hub publishes them: an encoder, and a decoder that caches keys and values and has a branch for its first step.
import { Graph } from './onnx.ts';
import { SIZES, type Weight, type Weights, waves } from './weights.ts';

const { model: D, heads: H, positions: P, words: V } = SIZES;
const SIZE = D / H;
const FLOAT = 1;
const NEVER = -1e9;

/** Builds parts of the graphs from the weights. */
class Builder {
  readonly graph: Graph;
  readonly #weights: Weights;

  constructor(graph: Graph, weights: Weights) {
    this.graph = graph;
    this.#weights = weights;
  }

  inside(name: string): Builder {
    return new Builder(new Graph(name, { inside: this.graph }), this.#weights);
  }
  op(...given: Parameters<Graph['op']>): string {
    return this.graph.op(...given);
  }

  parameter(name: string): string {
    const { rows, cols, data } = this.#weights.get(name) as Weight;
    return this.graph.weight(name, rows === 1 ? [cols] : [rows, cols], data);
  }
  linear(x: string, name: string): string {
    return this.op('Add', [this.op('MatMul', [x, this.parameter(`${name}.weight`)]), this.parameter(`${name}.bias`)]);
  }
  join(x: string, more: string, norm: string): string {
    const inputs = [this.op('Add', [x, more]), this.parameter(`${norm}.weight`), this.parameter(`${norm}.bias`)];
    return this.op('LayerNormalization', inputs, { axis: -1, epsilon: { float: 1e-5 } });
  }
  inner(x: string, name: string): string {
    const wide = this.linear(x, `${name}.widen`);
    return this.linear(this.op('Mul', [wide, this.op('Sigmoid', [wide])]), `${name}.narrow`);
  }
  /** From [batch, length, model] to [batch, heads, length, size]. */
  heads(x: string): string {
    return this.op('Transpose', [this.op('Reshape', [x, this.graph.ints(0, -1, H, SIZE)])], { perm: [0, 2, 1, 3] });
  }
  attention(x: string, name: string, key: string, value: string, mask: string): string {
    const query = this.heads(this.linear(x, `${name}.query`));
    const scores = this.op('Mul', [this.op('MatMul', [query, this.op('Transpose', [key], { perm: [0, 1, 3, 2] })]), this.graph.number(1 / Math.sqrt(SIZE))]);
    const shares = this.op('Softmax', [this.op('Add', [scores, mask])], { axis: -1 });
    const all = this.op('Transpose', [this.op('MatMul', [shares, value])], { perm: [0, 2, 1, 3] });
    return this.linear(this.op('Reshape', [all, this.graph.ints(0, -1, D)]), `${name}.out`);
  }
  size(x: string, axis: number): string {
    return this.op('Slice', [this.op('Shape', [x]), this.graph.ints(axis), this.graph.ints(axis + 1), this.graph.ints(0)]);
  }
  /** Words, and the waves of their positions from `start` on. */
  embed(ids: string, start: string): string {
    const words = this.op('Mul', [this.op('Gather', [this.parameter('words.weight'), ids]), this.graph.number(Math.sqrt(D))]);
    const end = this.op('Add', [start, this.size(ids, 1)]);
    // Sine waves are no weights: they stay exact in quantised files.
    const table = this.graph.weight('waves', [1, P, D], waves());
    return this.op('Add', [words, this.op('Slice', [table, start, end, this.graph.ints(1)])]);
  }
  /** Where the mask is 0, scores become impossible. */
  padding(mask: string): string {
    const hidden = this.op('Sub', [this.graph.number(1), this.op('Cast', [mask], { to: FLOAT })]);
    return this.op('Unsqueeze', [this.op('Mul', [hidden, this.graph.number(NEVER)]), this.graph.ints(1, 2)]);
  }
  /** A word sees itself and those before it. */
  causal(past: string, total: string): string {
    const one = (x: string) => this.op('Squeeze', [x, this.graph.ints(0)]);
    const columns = this.op('Range', [this.graph.int(0), one(total), this.graph.int(1)]);
    const rows = this.op('Range', [one(past), one(total), this.graph.int(1)]);
    const later = this.op('Greater', [this.op('Unsqueeze', [columns, this.graph.ints(0)]), this.op('Unsqueeze', [rows, this.graph.ints(1)])]);
    return this.op('Mul', [this.op('Cast', [later], { to: FLOAT }), this.graph.number(NEVER)]);
  }
}

const SOURCE = ['batch_size', 'encoder_sequence_length'];

export function encoderFile(weights: Weights, quantised: boolean): Uint8Array {
  const graph = new Graph('encoder', { quantised });
  const build = new Builder(graph, weights);
  const [ids, mask] = [graph.input('input_ids', 'int64', SOURCE), graph.input('attention_mask', 'int64', SOURCE)];
  const x = build.embed(ids, graph.ints(0));
  const [key, value] = ['key', 'value'].map((part) => build.heads(build.linear(x, `encoder.self.${part}`))) as [string, string];
  const seen = build.join(x, build.attention(x, 'encoder.self', key, value, build.padding(mask)), 'encoder.norm1');
  const last = build.join(seen, build.inner(seen, 'encoder'), 'encoder.norm2');
  graph.op('Identity', [last], {}, ['last_hidden_state']);
  graph.output('last_hidden_state', 'float', [...SOURCE, D]);
  return graph.file();
}

const CACHES = ['decoder.key', 'decoder.value', 'encoder.key', 'encoder.value'] as const;
const cacheShape = (length: string) => ['batch_size', H, length, SIZE];

/** A branch of the decoder: the first step reads the encoder, later ones their caches. */
function branch(outer: Builder, name: string, isFirst: boolean): Graph {
  const build = outer.inside(name);
  const { graph } = build;
  const outputs = CACHES.map((cache) => `${name}.${cache}`);
  const cross = (['key', 'value'] as const).map((part, index) => {
    const made = isFirst ? build.heads(build.linear('encoder_hidden_states', `decoder.cross.${part}`)) : `past_key_values.0.encoder.${part}`;
    return build.op('Identity', [made], {}, [outputs[2 + index] as string]);
  }) as [string, string];
  const past = build.size('past_key_values.0.decoder.key', 2);
  const x = build.embed('input_ids', past);
  const own = (['key', 'value'] as const).map((part, index) => {
    const now = build.heads(build.linear(x, `decoder.self.${part}`));
    return build.op('Concat', [`past_key_values.0.decoder.${part}`, now], { axis: 2 }, [outputs[index] as string]);
  }) as [string, string];
  const causal = build.causal(past, build.op('Add', [past, build.size('input_ids', 1)]));
  const first = build.join(x, build.attention(x, 'decoder.self', ...own, causal), 'decoder.norm1');
  const second = build.join(first, build.attention(first, 'decoder.cross', ...cross, build.padding('encoder_attention_mask')), 'decoder.norm2');
  const third = build.join(second, build.inner(second, 'decoder'), 'decoder.norm3');
  const words = build.op('Transpose', [build.parameter('words.weight')], { perm: [1, 0] });
  build.op('Add', [build.op('MatMul', [third, words]), build.parameter('words.bias')], {}, [`${name}.logits`]);
  graph.output(`${name}.logits`, 'float', ['batch_size', 'decoder_sequence_length', V]);
  for (const output of outputs) graph.output(output, 'float', cacheShape(`${output}.length`));
  return graph;
}

export function decoderFile(weights: Weights, quantised: boolean): Uint8Array {
  const graph = new Graph('decoder', { quantised });
  graph.input('encoder_attention_mask', 'int64', SOURCE);
  graph.input('input_ids', 'int64', ['batch_size', 'decoder_sequence_length']);
  graph.input('encoder_hidden_states', 'float', [...SOURCE, D]);
  for (const cache of CACHES) graph.input(`past_key_values.0.${cache}`, 'float', cacheShape(`past_${cache.split('.')[0]}_sequence_length`));
  const usesCache = graph.input('use_cache_branch', 'bool', [1]);
  const build = new Builder(graph, weights);
  const branches = { then_branch: branch(build, 'later', false), else_branch: branch(build, 'first', true) };
  graph.op('If', [usesCache], branches, ['logits', ...CACHES.map((cache) => `present.0.${cache}`)]);
  graph.output('logits', 'float', ['batch_size', 'decoder_sequence_length', V]);
  for (const cache of CACHES) graph.output(`present.0.${cache}`, 'float', cacheShape(`total_${cache.split('.')[0]}_sequence_length`));
  return graph.file();
}
