// One connection of a listener: its messages are answered one after the other, with the certificate checked for each.
import { randomUUID } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { callContext } from '../call-context.ts';
import type { Clock } from '../clock.ts';
import { describe } from '../fault.ts';
import { peerCertificate } from '../http/client-certificate.ts';
import type { Log } from '../log-entry.ts';
import { type Frame, Frames } from './frames.ts';
import type { Listener } from './listener.ts';

interface ConversationOptions {
  readonly listener: Listener;
  readonly clock: Clock;
  readonly log: Log;
  /** A message must have arrived within this time of its first byte. */
  readonly arrivalMs: number;
  readonly memory: Memory;
}

/** What all connections of a listener hold together, bytes; one that goes beyond the limit is closed. */
interface Memory {
  held: number;
  readonly limit: number;
}

/** A connection that says nothing for so long is closed, and one that does not take its answer. */
const IDLE_MS = 120_000;
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
  /** Its part of the memory of all. */
  #counted = 0;
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
      this.#count(0);
    });
  }

  /** Ends the connection now, or after the answer to the message under way. */
  finish(): void {
    this.#isLast = true;
    if (this.#turn === 'client') this.#end();
  }

  /** Ends it where the client has taken too long: to send, to read, or to say anything. */
  expire(): void {
    if (this.#turn === 'server' || this.#hasEnded) return;
    const elapsed = this.#options.clock.monotonic() - this.#since;
    const isArriving = this.#turn === 'client' && this.#frames.held > 0;
    if (elapsed > (isArriving ? this.#options.arrivalMs : IDLE_MS)) this.#socket.destroy();
  }

  #read(chunk: Uint8Array): void {
    if (this.#hasEnded) return;
    if (this.#frames.held === 0 && this.#turn === 'client') this.#since = this.#options.clock.monotonic();
    this.#frames.push(chunk);
    this.#count(this.#counted + chunk.byteLength);
    if (this.#options.memory.held > this.#options.memory.limit) return this.#refuseMore();
    if (this.#turn === 'client') {
      const frame = this.#frames.next();
      if (frame) void this.#answerAll(frame);
    } else if (this.#frames.held > MOST_WAITING) this.#socket.pause();
  }

  async #answerAll(first: Frame): Promise<void> {
    const { listener, clock, log } = this.#options;
    try {
      for (let frame: Frame | undefined = first; frame && !this.#hasEnded; frame = this.#frames.next()) {
        await this.#answer(frame);
        this.#count(this.#frames.held);
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
    const { listener, clock } = this.#options;
    const certificate = peerCertificate(this.#socket, clock.now()).view;
    // Expired, or its authority is not trusted any more: it is nobody that could be answered.
    if (!certificate) return this.#end();
    this.#turn = 'server';
    const message = { bytes, certificate, address: this.#address, signal: this.#gone.signal };
    const answer = await callContext.run({ requestId: randomUUID() }, () => listener.answer(message));
    this.#turn = 'answer';
    this.#since = clock.monotonic();
    await this.#write(answer);
  }

  #refuseMore(): void {
    const { listener, log, memory } = this.#options;
    log.warn({ listener: listener.name, source: this.#address, held: memory.held }, 'connection closed: all together hold too much');
    this.#socket.destroy();
  }

  #count(bytes: number): void {
    if (this.#socket.destroyed && bytes > 0) return;
    this.#options.memory.held += bytes - this.#counted;
    this.#counted = bytes;
  }

  /** Settles when the next answer may be written, or when there is nobody to write to. */
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
