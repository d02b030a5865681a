// The operations in parts on one slot by correlation value: their owners and limits, and the end of those that are idle or whose session is gone.
import { randomBytes } from 'node:crypto';
import { changedInput, laterInputs, tagOfNothing } from '../../../kmip/part-inputs.ts';
import type { TokenKeyName } from '../api.ts';
import type { PartOutput, PartOwner, PartStart } from '../part.ts';
import { requireFit } from '../token/answer-length.ts';
import { orPinWanted } from '../token/pin-wanted.ts';
import type { Sessions } from '../token/sessions.ts';
import type { Token } from '../token/token.ts';
import { InputWrong, type PartWork, startWork } from './part-work.ts';

/** There is no such operation in parts, or it has ended. */
export class PartsEnded extends Error {}
/** A limit is reached. */
export class PartsFull extends Error {}

/** Each may need a session, of which tokens have few. */
const MAX_OPEN = 64;
const MAX_OPEN_OF_USER = 32;
const IDLE_MS = 300_000;
/** Of one operation, and of those together that keep their input until the end. */
const MAX_BYTES = 64 * 1024 * 1024;
const VALUE_BYTES = 16;
const NOTHING = new Uint8Array();

interface Running extends PartOwner {
  readonly key: TokenKeyName;
  readonly work: PartWork;
  readonly start: PartStart;
  bytes: number;
  /** Of all output so far. */
  given: number;
  usedAt: number;
}

export class Parts {
  /** Least recently used first. */
  readonly #running = new Map<string, Running>();
  readonly #monotonic: () => number;

  readonly #sessions: Sessions;

  /** @param monotonic milliseconds @param sessions of the slot */
  constructor(monotonic: () => number, sessions: Sessions) {
    this.#monotonic = monotonic;
    this.#sessions = sessions;
  }

  /** @throws PartsFull, and what the token refuses */
  begin(token: Token, owner: PartOwner, key: TokenKeyName, start: PartStart, data: Uint8Array): PartOutput {
    this.#makeRoom(owner.user);
    const work = startWork(token, this.#sessions, key, start);
    const running: Running = { ...owner, inputs: { ...owner.inputs, ...laterInputs({ iv: work.iv }) }, key, work, start, bytes: 0, given: 0, usedAt: 0 };
    return this.#orEnd(token, running, () => {
      const done = this.#feed(token, running, data);
      const { iv } = running.work;
      return { value: this.#put(new Uint8Array(randomBytes(VALUE_BYTES)), running), data: done, ...(iv && { iv }) };
    });
  }

  /** @throws PartsEnded, PartsFull, and what the token refuses, which ends the operation */
  update(token: Token, owner: PartOwner, value: Uint8Array, data: Uint8Array): PartOutput {
    const running = this.#takeOut(owner, value);
    return this.#orEnd(token, running, () => {
      const done = this.#feed(token, running, data);
      return { value: this.#put(value, running), data: done };
    });
  }

  /** @param given the tag or MAC, if the client sends it with the last part */
  finish(token: Token, owner: PartOwner, value: Uint8Array, data: Uint8Array, given: Uint8Array | undefined): PartOutput {
    const running = this.#takeOut(owner, value, true);
    const { work, start } = running;
    const proof = given ?? start.proof;
    const answer = this.#orEnd(token, running, () => {
      const tagBytes = tagBytesOf(start);
      if (start.what === 'decrypt' && tagBytes === 0 && given?.length) throw new InputWrong(tagOfNothing(start.mechanism.name));
      const isTagged = start.what === 'decrypt' && tagBytes > 0 && !start.tagInData;
      if (isTagged && proof?.length !== tagBytes) throw new InputWrong(`invalid tag: the authenticated encryption tag must have ${tagBytes} bytes`);
      const head = this.#feed(token, running, isTagged ? Buffer.concat([data, proof as Uint8Array]) : data);
      const rest = work.finish(token, running.bytes);
      requireFit(start.what, start.mechanism, running.bytes, running.given + rest.length);
      const all = Buffer.concat([head, rest]);
      const end = start.what === 'encrypt' ? all.length - tagBytes : all.length;
      const tag = end < all.length ? { tag: new Uint8Array(all.subarray(end)) } : {};
      return { value: NOTHING, data: new Uint8Array(all.subarray(0, end)), ...tag, ...(proof && { proof }) };
    });
    this.#close(running);
    return answer;
  }

  /** Ends what nobody continued in time. */
  sweep(): void {
    for (const [value, running] of this.#running) {
      if (!this.#isIdle(running)) return;
      this.#running.delete(value);
      this.#close(running);
    }
  }

  #isAlive({ work: { session } }: Running): boolean {
    return session === undefined || this.#sessions.has(session);
  }

  #close({ work: { session } }: Running): void {
    if (session !== undefined) this.#sessions.close(session);
  }

  #isIdle({ usedAt }: Running): boolean {
    return this.#monotonic() - usedAt > IDLE_MS;
  }

  #feed(token: Token, running: Running, data: Uint8Array): Uint8Array {
    running.bytes += data.length;
    if (running.bytes > MAX_BYTES) throw new PartsFull(`the multi-part operation has more than ${MAX_BYTES} bytes: send less data`);
    const held = [...this.#running.values()].reduce((sum, { work, bytes }) => sum + (work.holds ? bytes : 0), 0);
    if (running.work.holds && held + running.bytes > MAX_BYTES) throw new PartsFull('multi-part operations hold too many bytes for this slot: try again later');
    const output = data.length === 0 ? NOTHING : new Uint8Array(running.work.update(token, data, running.bytes));
    running.given += output.length;
    return output;
  }

  #put(value: Uint8Array, running: Running): Uint8Array {
    running.usedAt = this.#monotonic();
    this.#running.set(nameOf(value), running);
    return value;
  }

  #takeOut({ user, use, inputs = {} }: PartOwner, value: Uint8Array, isLast = false): Running {
    const running = this.#running.get(nameOf(value));
    if (!running || running.user !== user || running.use !== use) throw ended(use);
    const isRunning = !this.#isIdle(running) && this.#isAlive(running);
    const changed = isRunning ? changedInput(running.inputs ?? {}, inputs, isLast) : undefined;
    if (changed) throw new InputWrong(changed);
    this.#running.delete(nameOf(value));
    if (isRunning) return running;
    this.#close(running);
    throw ended(use);
  }

  #orEnd<T>(token: Token, running: Running, work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.#close(running);
      throw orPinWanted(token, running.key, error);
    }
  }

  /** At the limit of all users together, the one with the most loses the oldest. @throws PartsFull */
  #makeRoom(user: string): void {
    this.sweep();
    const open = new Map<string, number>();
    for (const running of this.#running.values()) open.set(running.user, (open.get(running.user) ?? 0) + 1);
    const own = open.get(user) ?? 0;
    if (own >= MAX_OPEN_OF_USER)
      throw new PartsFull(`${MAX_OPEN_OF_USER} multi-part operations of this user are open on the slot, which is the limit: finish one first`);
    if (this.#running.size < MAX_OPEN) return;
    const [most, count] = [...open].reduce((one, other) => (other[1] > one[1] ? other : one));
    const loser = count > own ? most : user;
    for (const [value, running] of this.#running) {
      if (running.user !== loser) continue;
      this.#running.delete(value);
      this.#close(running);
      return;
    }
    throw new PartsFull('too many multi-part operations are open on the slot: try again later');
  }
}

const nameOf = (value: Uint8Array): string => Buffer.from(value).toString('latin1');
const tagBytesOf = ({ mechanism: { parameter } }: PartStart): number => (parameter?.kind === 'gcm' ? parameter.tagBits / 8 : 0);

function ended(use: string): PartsEnded {
  return new PartsEnded(
    `unknown multi-part ${use}: it has ended, was idle too long, made room for those of others, was lost with the session of the token, or is not yours; start it again`,
  );
}
