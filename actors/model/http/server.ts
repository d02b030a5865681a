// Requests to a server that speaks the API of OpenAI, which is not trusted: limits of time and size, no redirects, and nothing of its errors is shown.
import { Agent, type Dispatcher, request } from 'undici';
import { Fault } from '../../../kernel/fault.ts';
import { tracedRequest } from '../../../kernel/tracing/outgoing.ts';
import type { ModelSpec } from '../api.ts';
import type { EngineSurroundings } from '../engine.ts';
import { Breaker } from './breaker.ts';

const CONNECT_MS = 10_000;
/** Until the first byte: a server may have to load the model. */
const FIRST_MS = 120_000;
/** Between two pieces of an answer. */
const IDLE_MS = 60_000;
const CONNECTIONS = 16;
const BREAKER = { maxFailures: 5, restMs: 30_000 };

/** The server itself fails, not only this request. */
class ServerFailure extends Error {}

export class ModelServer {
  readonly #spec: ModelSpec;
  readonly #around: Pick<EngineSurroundings, 'clock' | 'log'>;
  readonly #agent = new Agent({
    ...{ allowH2: false, connections: CONNECTIONS, headersTimeout: FIRST_MS, bodyTimeout: IDLE_MS },
    connect: { timeout: CONNECT_MS },
  });
  readonly #breaker: Breaker;

  constructor(spec: ModelSpec, around: Pick<EngineSurroundings, 'clock' | 'log'>) {
    this.#spec = spec;
    this.#around = around;
    this.#breaker = new Breaker(around.clock, BREAKER);
  }

  /**
   * @param path behind the version, such as `/embeddings`
   * @param read gets the body of a good answer, as text in pieces; it throws what is wrong with it
   * @throws Fault MODEL_FAILED, MODEL_BUSY, CANCELLED
   */
  async post<T>(path: string, body: object, signal: AbortSignal, maxBytes: number, read: (pieces: AsyncIterable<string>) => Promise<T>): Promise<T> {
    if (signal.aborted) throw new Fault('CANCELLED');
    if (!this.#breaker.enter())
      throw new Fault('MODEL_FAILED', { detail: `the server of the model ${this.#spec.id} has failed several times and is left alone for a while` });
    try {
      const result = await this.#exchange(path, body, signal, maxBytes, read);
      this.#breaker.succeeded();
      return result;
    } catch (error) {
      if (signal.aborted) {
        this.#breaker.left();
        throw new Fault('CANCELLED');
      }
      if (error instanceof Fault) {
        this.#breaker.succeeded();
        throw error;
      }
      this.#breaker.failed();
      const cause = error instanceof Error ? error.message : String(error);
      this.#around.log.warn({ model: this.#spec.id, path, cause: cause.replaceAll(this.#spec.apiKey || '\0', '...') }, 'the server of a model failed');
      throw new Fault('MODEL_FAILED', { detail: `the server of the model ${this.#spec.id} does not answer as it should` });
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  #exchange<T>(path: string, body: object, signal: AbortSignal, maxBytes: number, read: (pieces: AsyncIterable<string>) => Promise<T>): Promise<T> {
    const { url, apiKey } = this.#spec;
    const own = { 'content-type': 'application/json', ...(apiKey !== '' && { authorization: `Bearer ${apiKey}` }) };
    const address = `${url.replace(/\/+$/, '')}${path}`;
    return tracedRequest('POST', address, async (outgoing) => {
      const sent = { headers: { ...own, ...outgoing.headers }, body: JSON.stringify(body) };
      const { statusCode, body: answer } = await request(address, { method: 'POST', dispatcher: this.#agent, signal, ...sent });
      answer.on('error', () => {});
      outgoing.answered(statusCode);
      try {
        if (statusCode !== 200) throw this.#refusal(statusCode);
        return await read(textOf(answer, maxBytes));
      } finally {
        answer.destroy();
      }
    });
  }

  #refusal(status: number): Error {
    const { id } = this.#spec;
    if (status === 429) return new Fault('MODEL_BUSY', { detail: `the server of the model ${id} has too much to do` });
    if (status === 401 || status === 403) return new Fault('MODEL_FAILED', { detail: `the server of the model ${id} refuses the api_key` });
    if (status >= 400 && status < 500)
      return new Fault('MODEL_FAILED', {
        detail: `the server of the model ${id} refuses the request (${status}): check url and model, and whether the text is too long for it`,
      });
    return new ServerFailure(`the server answered ${status}`);
  }
}

async function* textOf(body: Dispatcher.ResponseData['body'], maxBytes: number): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let size = 0;
  for await (const chunk of body) {
    size += (chunk as Buffer).length;
    if (size > maxBytes) throw new ServerFailure(`the answer is larger than ${maxBytes} bytes`);
    yield decoder.decode(chunk as Buffer, { stream: true });
  }
}
