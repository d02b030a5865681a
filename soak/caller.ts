// Asks nodes in the name of somebody, and knows which answers say nothing: the request may have been done or not.
import { Agent, errors } from 'undici';
import { type Answer, type AskOptions, asker } from '../test/server.ts';
import type { Node } from './node.ts';
import type { Tally } from './tally.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Its common name is the user. */
export interface ClientCertificate {
  readonly name: string;
  readonly cert: string;
  readonly key: string;
}

/** A client that waits longer gives up. */
const PATIENCE_MS = 25_000;
/** Faults of the server and of its environment: the outcome is unknown, or nothing happened. */
const SAYS_NOTHING = new Set([408, 499, 502, 503, 504]);

/** How often clients hang up before they have their answer; a fault raises it for a while. */
export interface Manners {
  /** Part of the requests, 0 to 1. */
  hangUps: number;
}

export class Caller {
  readonly node: Node;
  readonly certificate: ClientCertificate | undefined;
  readonly #tally: Tally;
  readonly #manners: Manners;
  readonly #agent: Agent;

  /** @param ca PEM of the authority of the node */
  constructor(node: Node, ca: string, certificate: ClientCertificate | undefined, { tally, manners }: { readonly tally: Tally; readonly manners: Manners }) {
    this.node = node;
    this.certificate = certificate;
    this.#tally = tally;
    this.#manners = manners;
    const own = certificate ? { cert: certificate.cert, key: certificate.key } : {};
    this.#agent = new Agent({ connect: { ca, ...own, timeout: PATIENCE_MS }, connections: 8, headersTimeout: PATIENCE_MS, bodyTimeout: PATIENCE_MS });
  }

  /** @param what of the tally @returns undefined if the answer says nothing, or there was none */
  async ask(what: string, method: Method, path: string, options: AskOptions = {}): Promise<Answer | undefined> {
    const begin = performance.now();
    const answer = await this.#send(method, path, options);
    this.#tally.count(what, answer !== undefined && !SAYS_NOTHING.has(answer.status), performance.now() - begin);
    if (answer === undefined || SAYS_NOTHING.has(answer.status)) return undefined;
    if (answer.status === 500) this.#tally.wrong('no answer is an internal error', `${method} ${path.split('?')[0]}: ${answer.text}`);
    return answer.status === 500 ? undefined : answer;
  }

  async #send(method: Method, path: string, options: AskOptions): Promise<Answer | undefined> {
    const hangUp = new AbortController();
    const isRude = Math.random() < this.#manners.hangUps;
    const timer = isRude ? setTimeout(() => hangUp.abort(), Math.random() * 15) : undefined;
    try {
      return await asker(this.node.address, this.#agent, isRude ? hangUp.signal : undefined)(method, path, options);
    } catch (error) {
      if (isRude && hangUp.signal.aborted) this.#tally.hungUp += 1;
      else if (error instanceof errors.InvalidArgumentError) throw error;
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Without it, a node that has hung would be asked by nobody else on this connection. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}
