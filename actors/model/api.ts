// The interface of the model actor: language models that run on this machine or on a server elsewhere, each loaded when it is first used.
import type { Pieces } from '../../text/pieces.ts';

export type ModelTask = 'embedding' | 'summary' | 'translation' | 'answer';

/** A model of the configuration: a table [[ai.models]]. */
export interface ModelSpec {
  readonly id: string;
  readonly task: ModelTask;
  readonly engine: 'onnx' | 'http';
  /** Engine onnx: the absolute path of its files, laid out as on its hub, with `manifest.json` if they were pulled. */
  readonly folder: string;
  /** Engine onnx: which weights, if there are several. */
  readonly precision: Precision;
  /** Engine http: the address of an API of the kind of OpenAI, up to and with its version, and the name of the model there. */
  readonly url: string;
  readonly model: string;
  /** Engine http: empty if the server wants none. */
  readonly apiKey: string;
  /** Engine onnx, generating models: hypotheses that are written side by side (beam search); 0 for as many as the files say. */
  readonly beams: number;
  /** Of a translation model: its pairs, such as `en-fr`; `*` for all that it knows. */
  readonly languages: readonly string[];
}

/** `auto`: fp32 if it is there, else what is there; q8 first with `use_matrix_accel`. */
export type Precision = 'auto' | 'fp32' | 'fp16' | 'q8' | 'int8' | 'uint8' | 'q4' | 'q4f16';

export interface ModelArgs {
  readonly models: readonly ModelSpec[];
  /** Of all loaded models together, in MiB. */
  readonly maxMemoryMb: number;
  /** A model that nobody used for this time is unloaded. */
  readonly keepAliveMs: number;
  /** Of each model. */
  readonly threads: number;
  readonly useMatrixAcceleration: boolean;
}

/** `absent`: not in memory. */
export type ModelState = 'absent' | 'loading' | 'warming' | 'ready' | 'draining' | 'failed';

export interface ModelStatus {
  readonly id: string;
  readonly task: ModelTask;
  readonly engine: 'onnx' | 'http';
  readonly languages: readonly string[];
  readonly state: ModelState;
  /** What the files lack; empty if it can be loaded. */
  readonly missing: readonly string[];
  /** Why it failed. */
  readonly problem?: string;
  /** While it is loaded: what it was made of, as `Embedded.embedder` names it. */
  readonly revision?: string;
  /** MiB; 0 while it is not loaded, and for a model elsewhere. */
  readonly memoryMb: number;
  /** Requests that wait or run now. */
  readonly requests: number;
  readonly figures: ModelFigures;
}

/** Since the start of the server. */
export interface ModelFigures {
  readonly loads: number;
  readonly evictions: number;
  readonly crashes: number;
  /** By outcome: `ok` or the code of a fault. */
  readonly requests: Readonly<Record<string, number>>;
  readonly seconds: number;
}

/** Some models read questions and the texts that answer them differently. */
export type Purpose = 'query' | 'passage';

export interface Embedded {
  /** Model and revision: only vectors with the same name may be compared. */
  readonly embedder: string;
  readonly dimensions: number;
  /** Of each text: a text longer than the model takes is cut into windows, and has a vector of length 1 for each. */
  readonly windows: readonly number[];
  /** All of them, one after the other. */
  readonly vectors: Float32Array;
}

/** A task of a generating model. */
export interface Generation {
  /** Independent texts, each within the window of the model (`cut`); the engine may work on several at a time. */
  readonly inputs: readonly string[];
  /** For models that follow instructions: what to do with each input. Models made for one task need none. */
  readonly instruction?: string;
  /** For each input. */
  readonly maxNewTokens: number;
  /** ISO 639-1, for a translation. */
  readonly languages?: { readonly from: string; readonly to: string };
}

/** A piece of a text, in UTF-16 units. */
export type Span = readonly [start: number, end: number];

/**
 * `caller` names who asks: requests of different callers take turns, and no caller may have more than a share of those that wait.
 * All but `list` and `revision` throw Fault MODEL_NOT_INSTALLED, MODEL_FAILED, MODEL_BUSY, MODEL_SHARE; a cancelled call ends within one step of the model.
 */
export type ModelApi = {
  list(): Promise<readonly ModelStatus[]>;
  /** @returns what `Embedded.embedder` names, without loading the model */
  revision(id: string): Promise<string>;
  embed(id: string, texts: readonly string[], purpose: Purpose, caller: string): Promise<Embedded>;
  /**
   * @param ticket a new one, by which `pieces` reads what is written so far
   * @param waitMs how long it waits for its turn and for the model to be loaded, then MODEL_BUSY: a deadline could not tell waiting from work
   * @returns one text for each input
   */
  generate(id: string, request: Generation, caller: string, ticket?: string, waitMs?: number): Promise<readonly string[]>;
  /** Waits for more of what runs under the ticket. @returns undefined when it has ended */
  pieces(ticket: string): Promise<Pieces>;
  /** Cuts each text into pieces of whole sentences with at most this number of tokens; a longer sentence is cut between tokens. @param waitMs as for `generate` @returns the pieces of each text */
  cut(id: string, texts: readonly string[], maxTokens: number, caller: string, waitMs?: number): Promise<readonly (readonly Span[])[]>;
  /** Ends its process when what runs has ended. @returns false if it is not loaded */
  unload(id: string): Promise<boolean>;
};
