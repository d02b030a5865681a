// A translation model as the hub publishes them: an encoder, and a decoder that caches keys and values and has a branch for its first step.
import { Graph } from './onnx.ts';
import { layerOf, SIZES, type Sizes, type Weight, type Weights, waves } from './weights.ts';

/** What a model is made of. */
export interface Plan {
  readonly sizes: Sizes;
  /** Whether what goes from graph to graph and from step to step has 16 bits, as the hub has it in files for graphics cards. */
  readonly isHalf?: boolean;
  /** @returns the name of a weight, in the graph or around it */
  parameter(graph: Graph, name: string): string;
}

const planOf = (weights: Weights, sizes: Sizes, isHalf: boolean): Plan => ({
  sizes,
  isHalf,
  parameter(graph, name) {
    const { rows, cols, data } = weights.get(name) as Weight;
    return graph.weight(name, rows === 1 ? [cols] : [rows, cols], data);
  },
});

const [FLOAT, HALF] = [1, 10];
const typeOf = ({ isHalf = false }: Plan) => (isHalf ? 'float16' : 'float');
const NEVER = -1e9;

/** Builds parts of the graphs from the weights. */
class Builder {
  readonly graph: Graph;
  readonly #plan: Plan;

  constructor(graph: Graph, plan: Plan) {
    this.graph = graph;
    this.#plan = plan;
  }

  get sizes(): Sizes & { readonly size: number } {
    const { sizes } = this.#plan;
    return { ...sizes, size: sizes.model / sizes.heads };
  }

  /** @returns what goes into a graph or from step to step, to compute with */
  read(name: string): string {
    return this.#plan.isHalf ? this.op('Cast', [name], { to: FLOAT }) : name;
  }
  /** Names a result that goes out of a graph. @returns it, to compute with */
  tell(type: string, inputs: readonly string[], attributes: Parameters<Graph['op']>[2], name: string): string {
    if (!this.#plan.isHalf) return this.op(type, inputs, attributes, [name]);
    const made = this.op(type, inputs, attributes);
    this.op('Cast', [made], { to: HALF }, [name]);
    return made;
  }

  inside(name: string): Builder {
    return new Builder(new Graph(name, { inside: this.graph }), this.#plan);
  }
  op(...given: Parameters<Graph['op']>): string {
    return this.graph.op(...given);
  }

  parameter(name: string): string {
    return this.#plan.parameter(this.graph, name);
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
    return this.op('Transpose', [this.op('Reshape', [x, this.graph.ints(0, -1, this.sizes.heads, this.sizes.size)])], { perm: [0, 2, 1, 3] });
  }
  attention(x: string, name: string, key: string, value: string, mask: string): string {
    const query = this.heads(this.linear(x, `${name}.query`));
    const scores = this.op('Mul', [
      this.op('MatMul', [query, this.op('Transpose', [key], { perm: [0, 1, 3, 2] })]),
      this.graph.number(1 / Math.sqrt(this.sizes.size)),
    ]);
    const shares = this.op('Softmax', [this.op('Add', [scores, mask])], { axis: -1 });
    const all = this.op('Transpose', [this.op('MatMul', [shares, value])], { perm: [0, 2, 1, 3] });
    return this.linear(this.op('Reshape', [all, this.graph.ints(0, -1, this.sizes.model)]), `${name}.out`);
  }
  size(x: string, axis: number): string {
    return this.op('Slice', [this.op('Shape', [x]), this.graph.ints(axis), this.graph.ints(axis + 1), this.graph.ints(0)]);
  }
  /** Words, and the waves of their positions from `start` on. */
  embed(ids: string, start: string): string {
    const words = this.op('Mul', [this.op('Gather', [this.parameter('words.weight'), ids]), this.graph.number(Math.sqrt(this.sizes.model))]);
    const end = this.op('Add', [start, this.size(ids, 1)]);
    // Sine waves are no weights: they stay exact in quantised files.
    const table = this.graph.weight('waves', [1, this.sizes.positions, this.sizes.model], waves(this.sizes));
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

export const encoderFile = (weights: Weights, quantised: boolean, sizes: Sizes = SIZES, isHalf = false): Uint8Array =>
  encoderOf(planOf(weights, sizes, isHalf), quantised);
export const decoderFile = (weights: Weights, quantised: boolean, sizes: Sizes = SIZES, isHalf = false): Uint8Array =>
  decoderOf(planOf(weights, sizes, isHalf), quantised);

export function encoderOf(plan: Plan, quantised = false): Uint8Array {
  const graph = new Graph('encoder', { quantised });
  const build = new Builder(graph, plan);
  const [ids, mask] = [graph.input('input_ids', 'int64', SOURCE), graph.input('attention_mask', 'int64', SOURCE)];
  let x = build.embed(ids, graph.ints(0));
  for (let layer = 0; layer < plan.sizes.layers; layer += 1) {
    const own = layerOf('encoder', layer);
    const [key, value] = ['key', 'value'].map((part) => build.heads(build.linear(x, `${own}.self.${part}`))) as [string, string];
    const seen = build.join(x, build.attention(x, `${own}.self`, key, value, build.padding(mask)), `${own}.norm1`);
    x = build.join(seen, build.inner(seen, own), `${own}.norm2`);
  }
  build.tell('Identity', [x], {}, 'last_hidden_state');
  graph.output('last_hidden_state', typeOf(plan), [...SOURCE, plan.sizes.model]);
  return graph.file();
}

const CACHES = ['decoder.key', 'decoder.value', 'encoder.key', 'encoder.value'] as const;
const cacheShape = (length: string, { heads, model }: Sizes) => ['batch_size', heads, length, model / heads];
const cachesOf = ({ layers }: Sizes) => Array.from({ length: layers }, (_, layer) => CACHES.map((cache) => `${layer}.${cache}`)).flat();

/** A branch of the decoder: the first step reads the encoder, later ones their caches. */
function branch(outer: Builder, name: string, isFirst: boolean, type: 'float' | 'float16'): Graph {
  const build = outer.inside(name);
  const { graph, sizes } = build;
  const output = (cache: string) => (sizes.layers === 1 ? `${name}.${cache.slice(2)}` : `${name}.${cache}`);
  const past = (layer: number, cache: string) => `past_key_values.${layer}.${cache}`;
  const cross = Array.from({ length: sizes.layers }, (_, layer) =>
    (['key', 'value'] as const).map((part) => {
      const made = isFirst
        ? build.heads(build.linear(build.read('encoder_hidden_states'), `${layerOf('decoder', layer)}.cross.${part}`))
        : build.read(past(layer, `encoder.${part}`));
      return build.tell('Identity', [made], {}, output(`${layer}.encoder.${part}`));
    }),
  ) as [string, string][];
  const before = build.size(past(0, 'decoder.key'), 2);
  let x = build.embed('input_ids', before);
  let causal: string | undefined;
  for (const [layer, theirs] of cross.entries()) {
    const at = layerOf('decoder', layer);
    const own = (['key', 'value'] as const).map((part) => {
      const now = build.heads(build.linear(x, `${at}.self.${part}`));
      return build.tell('Concat', [build.read(past(layer, `decoder.${part}`)), now], { axis: 2 }, output(`${layer}.decoder.${part}`));
    }) as [string, string];
    causal ??= build.causal(before, build.op('Add', [before, build.size('input_ids', 1)]));
    const first = build.join(x, build.attention(x, `${at}.self`, ...own, causal), `${at}.norm1`);
    const second = build.join(first, build.attention(first, `${at}.cross`, ...theirs, build.padding('encoder_attention_mask')), `${at}.norm2`);
    x = build.join(second, build.inner(second, at), `${at}.norm3`);
  }
  const words = build.op('Transpose', [build.parameter('words.weight')], { perm: [1, 0] });
  build.tell('Add', [build.op('MatMul', [x, words]), build.parameter('words.bias')], {}, `${name}.logits`);
  graph.output(`${name}.logits`, type, ['batch_size', 'decoder_sequence_length', sizes.words]);
  for (const cache of cachesOf(sizes)) graph.output(output(cache), type, cacheShape(`${output(cache)}.length`, sizes));
  return graph;
}

export function decoderOf(plan: Plan, quantised = false): Uint8Array {
  const graph = new Graph('decoder', { quantised });
  const { sizes } = plan;
  const type = typeOf(plan);
  const caches = cachesOf(sizes);
  const lengthOf = (cache: string, of: 'past' | 'total') => `${of}_${cache.split('.')[1]}_sequence_length`;
  graph.input('encoder_attention_mask', 'int64', SOURCE);
  graph.input('input_ids', 'int64', ['batch_size', 'decoder_sequence_length']);
  graph.input('encoder_hidden_states', type, [...SOURCE, sizes.model]);
  for (const cache of caches) graph.input(`past_key_values.${cache}`, type, cacheShape(lengthOf(cache, 'past'), sizes));
  const usesCache = graph.input('use_cache_branch', 'bool', [1]);
  const build = new Builder(graph, plan);
  const branches = { then_branch: branch(build, 'later', false, type), else_branch: branch(build, 'first', true, type) };
  graph.op('If', [usesCache], branches, ['logits', ...caches.map((cache) => `present.${cache}`)]);
  graph.output('logits', type, ['batch_size', 'decoder_sequence_length', sizes.words]);
  for (const cache of caches) graph.output(`present.${cache}`, type, cacheShape(lengthOf(cache, 'total'), sizes));
  return graph.file();
}
