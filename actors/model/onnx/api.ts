// The interface of the process that runs one ONNX model.
import type { Pieces } from '../../../text/pieces.ts';
import type { ModelTask, Purpose, Span } from '../api.ts';
import type { Written } from './generator.ts';
import type { Request } from './phrasing.ts';

export interface HostArgs {
  readonly folder: string;
  readonly task: ModelTask;
  /** Paths in the folder, by part of the model. */
  readonly weights: readonly string[];
  readonly threads: number;
  /** Of a generating model: hypotheses that are written side by side; 0 for as many as its files say. */
  readonly beams: number;
}

export type HostApi = {
  /** MiB resident. */
  memory(): number;
  /** @returns the number of windows of each text, and all vectors one after the other */
  embed(texts: readonly string[], purpose: Purpose): Promise<{ readonly windows: readonly number[]; readonly vectors: Float32Array }>;
  generate(inputs: readonly string[], request: Request, ticket?: string): Promise<readonly Written[]>;
  /** Waits for more of what runs under the ticket. @returns undefined when it has ended */
  pieces(ticket: string): Promise<Pieces>;
  count(texts: readonly string[]): readonly number[];
  cut(texts: readonly string[], maxTokens: number): Promise<readonly (readonly Span[])[]>;
};
