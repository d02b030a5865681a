// One connection of a listener: its messages are answered one after the other, with the certificate checked for each.
import { randomUUID } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { callContext } from '../call-context.ts';
import type { Clock } from '../clock.ts';
import { describe } from '../fault.ts';
import type { FrontLimits } from '../front-limits.ts';
import { giveBack } from '../give-back.ts';
import { peerCertificate } from '../http/client-certificate.ts';
import type { Log } from '../log-entry.ts';
import type { Holding } from '../shares.ts';
import { SLICE_BYTES, slicesOf } from '../slices.ts';
import { type Frame, Frames } from './frames.ts';
import type { Listener, Message } from './listener.ts';

interface ConversationOptions {
  readonly listener: Listener;
  readonly clock: Clock;
  readonly log: Log;
  /** A message must have arrived within this time of its first byte. */
  readonly arrivalMs: number;
  /** Whose shares it counts against. */
  readonly who: string;
  readonly limits: FrontLimits;
}

/** A connection that says nothing for so long is closed. */
const IDLE_MS = 120_000;
/** A connection that holds less of messages is what connections are limited for, and is not counted. */
const MIN_COUNTED_BYTES = 65_536;
/** Enough of a message for the protocol to word a refusal. */
const BEGINNING_BYTES = 64;
const UNREAD = 'too much of your earlier answers is not read yet, read it and try again';
const TAKEN = 'all clients together hold too much, and its client most of it';
/** Beyond so many bytes that wait behind the message under way, the client is not read from. */
const MOST_WAITING = 262_144;
/** An answer that is the last may still be on its way when nothing more is read. */
const LINGER_MS = 1_000;

export class Conversation {
  readonly #socket: TLSSocket;
  readonly #options: ConversationOptions;
  readonly #frames: Frames;
  readonly #gone = new AbortController();
  readonly #address: string;
  /** What it is at: the client's turn, the actor's, or the answer on its way. */
  #turn: 'client' | 'server' | 'answer' = 'client';
  /** Since when, by the monotonic clock: the last answer, or the first byte of the message that is arriving. */
  #since: number;
  /** Its part of what messages hold: that of the message under way, and of what has arrived behind it. */
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
    socket.on('close', () => {
      this.#gone.abort();
      this.#held?.release();
      this.#frames.drop();
    });
  }

  /** Ends the connection now, or after the answer to the message under way. */
  finish(): void {
    this.#isLast = true;
    if (this.#turn === 'client') this.#end();
  }

  /** Ends it where the client has taken too long to send, or to say anything. Reading has limits of its own. */
  expire(): void {
    if (this.#turn !== 'client' || this.#hasEnded) return;
    const elapsed = this.#options.clock.monotonic() - this.#since;
    const isArriving = this.#frames.held > 0;
    if (elapsed > (isArriving ? this.#options.arrivalMs : IDLE_MS)) this.#socket.destroy();
  }

  #read(chunk: Uint8Array): void {
    if (this.#hasEnded) return;
    if (this.#frames.held === 0 && this.#turn === 'client') this.#since = this.#options.clock.monotonic();
    this.#frames.push(chunk);
    if (!this.#count()) return this.#close('its client holds too much of messages already');
    if (this.#turn === 'client') {
      const frame = this.#frames.next();
      if (frame) void this.#answerAll(frame);
    } else if (this.#frames.held > MOST_WAITING) this.#socket.pause();
  }

  async #answerAll(first: Frame): Promise<void> {
    const { listener, clock, log } = this.#options;
    try {
      for (let frame: Frame | undefined = first; frame && !this.#hasEnded; frame = this.#frames.next()) {
        this.#working = frame.bytes.byteLength;
        await this.#answer(frame);
        this.#working = 0;
        this.#count();
        if (!frame.isMessage || this.#isLast) this.#end();
      }
    } catch (error) {
      if (!this.#gone.signal.aborted) log.error({ listener: listener.name, error: describe(error) }, 'a message was not answered');
      this.#socket.destroy();
    }
    this.#turn = 'client';
    this.#since = clock.monotonic();
    if (this.#socket.isPaused()) this.#socket.resume();
  }

  async #answer({ bytes }: Frame): Promise<void> {
    const { clock } = this.#options;
    const certificate = peerCertificate(this.#socket, clock.now()).view;
    // Expired, or its authority is not trusted any more: it is nobody that could be answered.
    if (!certificate) return this.#end();
    this.#turn = 'server';
    const message = { bytes, certificate, address: this.#address, signal: this.#gone.signal };
    const answer = await callContext.run({ requestId: randomUUID() }, () => this.#work(message));
    this.#turn = 'answer';
    await this.#send(answer);
  }

  /** In the caller's turn; not at all while it does not read the answers that it has. */
  async #work(message: Message): Promise<Uint8Array> {
    const { listener, who, limits } = this.#options;
    // The bytes go to a thread, and are looked into here no more.
    const beginning = message.bytes.slice(0, BEGINNING_BYTES);
    const entered = limits.turns.enter(who, () => message.signal);
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

  /** @returns false where its client holds too much */
  #count(): boolean {
    const bytes = this.#frames.held + this.#working;
    if (this.#socket.destroyed) return true;
    if (bytes > MIN_COUNTED_BYTES) this.#held ??= this.#options.limits.requests.open(this.#options.who, () => this.#close(TAKEN));
    return this.#held?.set(bytes) ?? true;
  }

  /** Settles when the next answer may be written, or when there is nobody to write to. */
  async #send(answer: Uint8Array): Promise<void> {
    if (answer.byteLength <= SLICE_BYTES) return this.#write(answer);
    const { answers, stalled } = this.#options.limits;
    const holding = answers.open(this.#options.who, () => this.#close(TAKEN));
    this.#socket.once('close', holding.release);
    if (!holding.set(answer.byteLength)) {
      giveBack(answer);
      return this.#close('its client has too much of its answers unread');
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

  #write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.destroyed || this.#socket.write(bytes, () => resolve())) resolve();
    });
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#socket.end();
    // What still comes is dropped: closing with bytes unread would reset the connection and take the last answer with it.
    this.#socket.resume();
    setTimeout(() => this.#socket.destroy(), LINGER_MS).unref();
  }
}
