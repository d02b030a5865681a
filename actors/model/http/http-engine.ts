// The engine of models on a server elsewhere that speaks the API of OpenAI: chat completions for texts, embeddings for retrieval.
import { Fault } from '../../../kernel/fault.ts';
import { sentenceSpans } from '../../../text/sentences.ts';
import type { Generation, ModelSpec, Span } from '../api.ts';
import type { Engine, EngineSurroundings } from '../engine.ts';
import { readChat, type Said } from './chat.ts';
import { readVectors } from './embeddings.ts';
import { ModelServer } from './server.ts';

/** Requests for one call at a time; the server batches them. */
const AT_ONCE = 4;
const TEXTS = 32;
const MAX_VECTOR_BYTES = 524_288;
/** Of a text that is embedded: most models take 512 tokens. */
const WINDOW_TOKENS = 400;
/** Of a streamed answer: each token comes in an event of its own. */
const EVENT_BYTES = 1_024;
const FRAME_BYTES = 65_536;
const CHARACTERS_OF_TOKEN = 32;
/** Behind the Latin scripts of Unicode. */
const LATIN_END = 0x250;

export async function openHttp(spec: ModelSpec, around: EngineSurroundings): Promise<Engine> {
  const server = new ModelServer(spec, around);
  const ask = async (texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> => {
    const body = { model: spec.model, input: texts, encoding_format: 'float' };
    return server.post('/embeddings', body, signal, FRAME_BYTES + texts.length * MAX_VECTOR_BYTES, (pieces) => readVectors(pieces, texts.length));
  };
  return {
    revision: spec.model,
    memoryMb: 0,
    async embed(texts, _purpose, signal) {
      const windows = texts.map((text) =>
        tokensOf(text) <= WINDOW_TOKENS ? [text] : pieces(text, WINDOW_TOKENS).map(([start, end]) => text.slice(start, end)),
      );
      const all = windows.flat();
      const batches = Array.from({ length: Math.ceil(all.length / TEXTS) }, (_, batch) => all.slice(batch * TEXTS, (batch + 1) * TEXTS));
      const vectors = (await someAtOnce(batches, signal, (batch, _, either) => ask(batch, either))).flat();
      if (new Set(vectors.map(({ length }) => length)).size > 1)
        throw new Fault('MODEL_FAILED', { detail: `the server of the model ${spec.id} sends vectors of unlike length` });
      let at = 0;
      return windows.map(({ length }) => {
        at += length;
        return vectors.slice(at - length, at);
      });
    },
    generate: ({ inputs, ...task }, { signal, onText }) =>
      someAtOnce(inputs, signal, (input, index, either) => generate(server, spec, task, input, either, (piece) => onText?.(index, piece))),
    count: async (texts) => texts.map(tokensOf),
    cut: async (texts, maxTokens) => texts.map((text) => pieces(text, maxTokens)),
    lost: new Promise(() => {}),
    close: () => server.close(),
  };
}

type Task = Omit<Generation, 'inputs'>;

async function generate(
  server: ModelServer,
  spec: ModelSpec,
  task: Task,
  input: string,
  signal: AbortSignal,
  onText: (piece: string) => void,
): Promise<string> {
  const { instruction = '', maxNewTokens } = task;
  const messages = [...(instruction === '' ? [] : [{ role: 'system', content: instruction }]), { role: 'user', content: input }];
  const body = { model: spec.model, messages, max_tokens: maxNewTokens, temperature: 0, stream: true };
  const { text, isCut }: Said = await server.post('/chat/completions', body, signal, FRAME_BYTES + maxNewTokens * EVENT_BYTES, (answer) => {
    let length = 0;
    return readChat(answer, (piece) => {
      length += piece.length;
      if (length > maxNewTokens * CHARACTERS_OF_TOKEN) throw new Error('the answer is longer than it was allowed to be');
      onText(piece);
    });
  });
  // A summary or an answer may end there; half a translation is none.
  if (isCut && task.languages) throw new Fault('MODEL_FAILED', { detail: `the model ${spec.id} did not finish the translation of a part of the text` });
  return text.trim();
}

/** After the first failure nothing more is begun, and what runs is ended: nobody waits for it. */
async function someAtOnce<T, R>(items: readonly T[], signal: AbortSignal, work: (item: T, index: number, signal: AbortSignal) => Promise<R>): Promise<R[]> {
  const results: R[] = new Array(items.length);
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  let next = 0;
  const worker = async () => {
    while (next < items.length && !failed.signal.aborted) {
      const index = next++;
      results[index] = await work(items[index] as T, index, either);
    }
  };
  const workers = Array.from({ length: Math.min(AT_ONCE, items.length) }, () => worker());
  try {
    await Promise.all(workers);
  } finally {
    failed.abort();
  }
  return results;
}

/** An estimate from above: the server's tokenizer is not known. In Latin script a token has some four characters, in others about one. */
function tokensOf(text: string): number {
  let latin = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) < LATIN_END) latin += 1;
  return Math.ceil(latin / 3) + (text.length - latin);
}

/** Whole sentences together, up to the limit; longer sentences are halved at a space. */
function pieces(text: string, maxTokens: number): Span[] {
  const spans: Span[] = [];
  for (const [start, end] of sentenceSpans(text).flatMap((span) => halves(text, span, maxTokens))) {
    const last = spans.at(-1);
    if (last && tokensOf(text.slice(last[0], end)) <= maxTokens) spans[spans.length - 1] = [last[0], end];
    else spans.push([start, end]);
  }
  return spans;
}

function halves(text: string, [start, end]: Span, maxTokens: number): Span[] {
  if (end - start <= 2 || tokensOf(text.slice(start, end)) <= maxTokens) return [[start, end]];
  const middle = (start + end) >> 1;
  const space = text.lastIndexOf(' ', middle);
  // Not between the two halves of one character.
  const at = space > start ? space : (text.charCodeAt(middle) & 0xfc00) === 0xdc00 ? middle + 1 : middle;
  return [...halves(text, [start, at], maxTokens), ...halves(text, [at, end], maxTokens)];
}
