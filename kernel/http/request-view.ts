// Makes the request object that the handler of a route gets.
import type { TLSSocket } from 'node:tls';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import { onceClosed } from './answer/once-closed.ts';
import { SESSION_COOKIE } from './caller/authenticate.ts';
import { cookieIn } from './caller/cookie.ts';
import type { Caller } from './caller/credential.ts';
import { refuseForeignPage } from './caller/foreign-pages.ts';
import type { Request } from './route.ts';
import { type PeerCertificateView, peerCertificate } from './tls/client-certificate.ts';

/** A class, because an object with getters of its own costs ten times as much. What most handlers do not need is made when it is asked for. */
export class RequestView implements Request {
  readonly id: string;
  readonly params: Record<string, string>;
  readonly query: Record<string, string>;
  readonly headers: Request['headers'];
  readonly body: unknown;
  readonly address: string;
  readonly caller: Caller | undefined;
  /** Ends the turn that the handler runs in. */
  turn: (() => void) | undefined;
  readonly #request: FastifyRequest;
  readonly #clock: Clock;
  #gone: AbortController | undefined;

  constructor(request: FastifyRequest, clock: Clock) {
    this.id = request.id;
    this.params = request.params as Record<string, string>;
    this.query = request.query as Record<string, string>;
    this.headers = request.headers;
    this.body = request.body;
    this.address = request.ip;
    this.caller = request.caller;
    this.turn = undefined;
    this.#request = request;
    this.#clock = clock;
  }

  leaveTurn(): void {
    this.turn?.();
  }

  get cookie(): string | undefined {
    return cookieIn(this.#request.headers.cookie, SESSION_COOKIE) ?? undefined;
  }

  get certificate(): PeerCertificateView | undefined {
    const { view } = peerCertificate(this.#request.raw.socket as TLSSocket, this.#clock.now());
    if (view) refuseForeignPage(this.#request, 'certificate');
    return view;
  }

  get certificateRefusal(): string | undefined {
    return peerCertificate(this.#request.raw.socket as TLSSocket, this.#clock.now()).refusal;
  }

  get signal(): AbortSignal {
    if (!this.#gone) {
      const controller = new AbortController();
      const { response } = this.#request;
      onceClosed(response, () => response.writableFinished || controller.abort());
      this.#gone = controller;
    }
    return this.#gone.signal;
  }
}
