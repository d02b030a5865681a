// Serves one connection of a listener: answers its messages one after the other and checks the client certificate for each.
import { randomUUID } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { callContext } from '../call-context.ts';
import type { Clock } from '../clock.ts';
import { noteServed } from '../compiled-code.ts';
import { describe } from '../fault.ts';
import { giveBack } from '../give-back.ts';
import { peerCertificate } from '../http/tls/client-certificate.ts';
import type { FrontLimits } from '../limits/front-limits.ts';
import type { Holding } from '../limits/shares.ts';
import type { Log } from '../log/log-entry.ts';
import { SLICE_BYTES, slicesOf } from '../slices.ts';
import type { Tracer } from '../tracing/tracer.ts';
import { type Frame, Frames } from './frames.ts';
import type { Listener, Message } from './listener.ts';
import { writeTogether } from './small-answer.ts';

interface ConversationOptions {
  readonly listener: Listener;
  readonly clock: Clock;
  readonly log: Log;
  /** Time limit from the first byte of a message to its last. */
  readonly arrivalMs: number;
  /** The holder whose shares the connection counts against. */
  readonly who: string;
  readonly limits: FrontLimits;
  /** Absent if nothing is traced. */
  readonly tracer?: Tracer | undefined;
}

/** A connection without a message is closed after this time. */
const IDLE_MS = 120_000;
/** Connections that hold fewer bytes are not counted, because the number of connections is limited. */
const MIN_COUNTED_BYTES = 65_536;
/** Enough of a message for the listener to make a refusal. */
const BEGINNING_BYTES = 64;
const UNREAD = 'too many of your earlier answers are still unread; read them and try again';
const TAKEN = 'all clients together need too much memory, and this client needs most of it';
/** Above this number of waiting bytes the listener stops reading from the client. */
const MAX_WAITING_BYTES = 262_144;
/** Time for the last answer to leave before the connection is destroyed. */
const LINGER_MS = 1_000;

export class Conversation {
  readonly #socket: TLSSocket;
  readonly #options: ConversationOptions;
  readonly #frames: Frames;
  readonly #gone = new AbortController();
  readonly #address: string;
  /** Waiting for the client, working on a message, or sending the answer. */
  #turn: 'client' | 'server' | 'answer' = 'client';
  /** Monotonic time of the last answer, or of the first byte of the message that is arriving. */
  #since: number;
  /** The memory that this connection is counted for: the current message and the bytes that wait behind it. */
  #held: Holding | undefined;
  #working = 0;
  #isLast = false;
  #hasEnded = false;

  constructor(socket: TLSSocket, options: ConversationOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#frames = new Frames(options.listener);
    this.#address = socket.remoteAddress ?? '';
    this.#since = options.clock.monotonic();
    socket.on('data', (chunk: Uint8Array) => this.#read(chunk));
    // A closure alert closes one direction only (RFC 8446 section 6.1): what has arrived completely is still answered.
    socket.on('end', () => void (this.#turn === 'client' && this.#end()));
    socket.on('close', () => {
      this.#gone.abort();
      this.#held?.release();
      this.#frames.drop();
    });
  }

  /** Ends the connection after the answer to the current message, or to the one that is arriving, or to the next. Without such a message at once. */
  finish(last: 'current' | 'arriving' | 'next'): void {
    this.#isLast = true;
    const isAwaited = last === 'next' || (last === 'arriving' && this.#frames.held > 0);
    if (this.#turn === 'client' && !isAwaited) this.#end();
  }

  /** Closes the connection if the client sends too slowly or is idle for too long. A client that reads too slowly is closed elsewhere. */
  expire(): void {
    if (this.#turn !== 'client' || this.#hasEnded) return;
    const elapsed = this.#options.clock.monotonic() - this.#since;
    const isArriving = this.#frames.held > 0;
    if (elapsed > (isArriving ? this.#options.arrivalMs : IDLE_MS)) this.#socket.destroy();
  }

  #read(chunk: Uint8Array): void {
    if (this.#hasEnded) return giveBack(chunk);
    if (this.#frames.held === 0 && this.#turn === 'client') this.#since = this.#options.clock.monotonic();
    this.#frames.push(chunk);
    if (!this.#count()) return this.#close('the messages of its client already use all the memory that one client may use');
    if (this.#turn === 'client') {
      const frame = this.#frames.next();
      if (frame) void this.#answerAll(frame);
    } else if (this.#frames.held > MAX_WAITING_BYTES) this.#socket.pause();
  }

  async #answerAll(first: Frame): Promise<void> {
    const { listener, clock, log } = this.#options;
    try {
      for (let frame: Frame | undefined = first; frame && !this.#hasEnded; frame = this.#frames.next()) {
        noteServed();
        this.#working = frame.bytes.byteLength;
        await this.#answer(frame);
        this.#working = 0;
        this.#count();
        if (!frame.isMessage || this.#isLast) this.#end();
      }
    } catch (error) {
      if (!this.#gone.signal.aborted) log.error({ listener: listener.name, error: describe(error) }, 'a message could not be answered');
      this.#socket.destroy();
    }
    this.#turn = 'client';
    this.#since = clock.monotonic();
    if (this.#socket.readableEnded) this.#end();
    if (this.#socket.isPaused()) this.#socket.resume();
  }

  async #answer({ bytes }: Frame): Promise<void> {
    const { clock, tracer, listener } = this.#options;
    const certificate = peerCertificate(this.#socket, clock.now()).view;
    // The certificate has expired or its authority is no longer trusted, so there is no client to answer.
    if (!certificate) return this.#end();
    this.#turn = 'server';
    const message = { bytes, certificate, address: this.#address, signal: this.#gone.signal };
    const requestId = randomUUID();
    const work = () => callContext.run({ requestId, isTraced: tracer !== undefined }, () => this.#work(message));
    const span = tracer?.concerns(requestId) ? tracer.begin(`${listener.name} message`, { 'gatehouse.request_id': requestId }, requestId) : undefined;
    const answer = await (span ? span.over(work) : work());
    this.#turn = 'answer';
    await this.#send(answer);
  }

  /** Waits for the caller's turn. Refuses the message if the caller has too many unread answers. */
  async #work(message: Message): Promise<Uint8Array> {
    const { listener, who, limits } = this.#options;
    // Copied now, because the bytes move to another thread.
    const beginning = message.bytes.slice(0, BEGINNING_BYTES);
    const entered = limits.turns.enter(who, message);
    const leave = entered instanceof Promise ? await entered : entered;
    try {
      return limits.answers.isFull(who) ? listener.refuse(beginning, UNREAD) : await listener.answer(message);
    } finally {
      leave();
    }
  }

  #close(why: string): void {
    const { listener, log } = this.#options;
    log.warn({ listener: listener.name, source: this.#address, reason: why }, 'connection closed');
    this.#socket.destroy();
  }

  /** @returns false if the client holds too much memory */
  #count(): boolean {
    const bytes = this.#frames.held + this.#working;
    if (this.#socket.destroyed) return true;
    if (bytes > MIN_COUNTED_BYTES) this.#held ??= this.#options.limits.requests.open(this.#options.who, () => this.#close(TAKEN));
    return this.#held?.set(bytes) ?? true;
  }

  /** Settles when the next answer may be written, or when the connection is gone. */
  async #send(answer: Uint8Array): Promise<void> {
    if (answer.byteLength <= SLICE_BYTES) return writeTogether(this.#socket, answer);
    const { answers, stalled } = this.#options.limits;
    const holding = answers.open(this.#options.who, () => this.#close(TAKEN));
    this.#socket.once('close', holding.release);
    if (!holding.set(answer.byteLength)) {
      giveBack(answer);
      return this.#close('its client has too many unread answers');
    }
    for (const slice of slicesOf(answer)) {
      if (this.#socket.destroyed) break;
      stalled.note(this.#socket);
      await new Promise((resolve) => this.#socket.write(slice, resolve));
    }
    this.#socket.off('close', holding.release);
    holding.release();
    giveBack(answer);
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#socket.end();
    // Read and drop what still arrives: closing with unread bytes would reset the connection, and the last answer could be lost.
    this.#socket.resume();
    setTimeout(() => this.#socket.destroy(), LINGER_MS).unref();
  }
}
