// The embedder of documentary bases, as the library calls it: the vectors of a question, and of the passages of a reference.
import type { Embedded, ModelApi } from '../model/api.ts';

/** The remote of the model actor, with the calls that the library makes. */
export type EmbeddingModel = {
  readonly [M in 'embed' | 'revision']: (...args: Parameters<ModelApi[M]>) => Promise<Awaited<ReturnType<ModelApi[M]>>>;
};

/** Who asks, in the turns of callers at the model. */
const LIBRARY = 'documentary bases';

export class Embedder {
  readonly #id: string;
  readonly #model: (signal?: AbortSignal) => EmbeddingModel;

  /** @param model whose calls end when the signal is aborted */
  constructor(id: string, model: (signal?: AbortSignal) => EmbeddingModel) {
    this.#id = id;
    this.#model = model;
  }

  /** @returns the name of the model and of its revision, as `Embedded` has it */
  name(): Promise<string> {
    return this.#model().revision(this.#id);
  }

  question(text: string, caller: string, signal: AbortSignal | undefined): Promise<Embedded> {
    return this.#model(signal).embed(this.#id, [text], 'query', caller);
  }

  passages(texts: readonly string[], signal: AbortSignal): Promise<Embedded> {
    return this.#model(signal).embed(this.#id, texts, 'passage', LIBRARY);
  }
}

/** What a passage is found by, with its vector: the headings that it stands under belong to it. */
export function embeddedText(title: string, { chapter, text }: { readonly chapter: string; readonly text: string }): string {
  const heading = headingOf(title, chapter);
  return heading === '' ? text : `${heading}. ${text}`;
}

export function headingOf(title: string, chapter: string): string {
  return chapter === title ? title : `${title} ${chapter}`.trim();
}
