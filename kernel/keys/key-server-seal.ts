// The seal of the key server: opens its data key for threads that start, and unseals by itself when the key-encryption key can be reached.
import { type ActorRefFrom, createActor, fromPromise, waitFor } from 'xstate';
import type { Clock } from '../clock.ts';
import { ConfigError } from '../config/config-error.ts';
import { describe, Fault } from '../fault.ts';
import type { Log } from '../log/log-entry.ts';
import { keyServerSealMachine } from './key-server-seal.machine.ts';

/** Opens the data key of the key server. */
export interface KeyServerKey {
  /** Name of the key-encryption key, for the log. */
  readonly openedBy: string;
  /**
   * Opens the data key at each call; the caller moves it on or overwrites it.
   * @throws Fault if the key-encryption key cannot be reached, ConfigError if it does not open the data key
   */
  open(): Promise<Uint8Array>;
}

interface SealOptions {
  readonly key: KeyServerKey;
  readonly clock: Clock;
  readonly log: Log;
}

export class KeyServerSeal {
  readonly #options: SealOptions;
  readonly #seal: ActorRefFrom<typeof keyServerSealMachine>;
  /** The last logged reason, so that the same reason is not logged again. */
  #told: string | undefined;

  constructor(options: SealOptions) {
    this.#options = options;
    const { clock, log } = options;
    this.#seal = createActor(
      keyServerSealMachine.provide({
        actors: { unseal: fromPromise(() => this.#try()) },
        actions: { onSealed: ({ context }) => this.#tell(context.reason), onUnsealed: () => this.#tellUnsealed() },
      }),
      { clock: clock as never },
    );
    // Without an error observer XState would throw into the main thread.
    this.#seal.subscribe({ error: (error) => log.error({ error: describe(error) }, 'the seal of the key server failed') });
  }

  /** Makes the first attempt. @returns a function that ends the attempts */
  start(): () => void {
    this.#seal.start();
    return () => void this.#seal.stop();
  }

  /** Settles when no attempt is running: until then nobody knows whether the key server is sealed. */
  async waitForAttempt(): Promise<void> {
    await waitFor(this.#seal, (snapshot) => !snapshot.matches('unsealing'));
  }

  get isSealed(): boolean {
    return this.#seal.getSnapshot().value !== 'unsealed';
  }

  /** Why the key server is sealed, for the operator; undefined if it is not sealed. */
  get problem(): string | undefined {
    if (!this.isSealed) return undefined;
    const { reason } = this.#seal.getSnapshot().context;
    return reason === undefined ? 'its data key has not been opened yet' : textOf(reason);
  }

  /** Texts for the start message of the server. */
  get announcements(): readonly string[] {
    return this.isSealed
      ? [`the key server is sealed (${this.problem}); sign-in works, and the key server unseals by itself when its key-encryption key can be reached`]
      : [];
  }

  /** @throws ConfigError if the key-encryption key can be reached but does not open the data key: waiting would not help */
  requireRightKey(): void {
    const { reason } = this.#seal.getSnapshot().context;
    if (this.isSealed && reason instanceof ConfigError) throw reason;
  }

  /**
   * Opens the data key for a thread that starts. It waits for a running attempt.
   * @throws Fault KEY_SERVER_SEALED
   */
  async dataKey(): Promise<Uint8Array> {
    const { value, context } = await waitFor(this.#seal, (snapshot) => !snapshot.matches('unsealing'));
    if (value !== 'unsealed') throw new Fault('KEY_SERVER_SEALED', { cause: context.reason });
    try {
      return await this.#options.key.open();
    } catch (reason) {
      if (!(reason instanceof Fault || reason instanceof ConfigError)) throw reason;
      this.#seal.send({ type: 'away', reason });
      throw new Fault('KEY_SERVER_SEALED', { cause: reason });
    }
  }

  /** Settles when the key server is unsealed. Rejects if it is stopped before. */
  async unsealed(): Promise<void> {
    await waitFor(this.#seal, (snapshot) => snapshot.matches('unsealed'));
  }

  /** Only checks that the data key can be opened. Each thread gets its own copy later. */
  async #try(): Promise<void> {
    const dataKey = await this.#options.key.open();
    dataKey.fill(0);
  }

  #tell(reason: unknown): void {
    const text = textOf(reason);
    if (text === this.#told) return;
    this.#told = text;
    const { key, log } = this.#options;
    log[reason instanceof ConfigError ? 'error' : 'warn'](
      { key_encryption_key: key.openedBy, reason: text, trace: describe(reason) },
      'the key server is sealed; its calls are refused until its key-encryption key can be reached',
    );
  }

  #tellUnsealed(): void {
    const { key, log } = this.#options;
    if (this.#told !== undefined) log.info({ key_encryption_key: key.openedBy }, 'the key server is unsealed');
    this.#told = undefined;
  }
}

/** @returns the reason in one line */
function textOf(reason: unknown): string {
  return (reason instanceof Error ? reason.message : String(reason)).replaceAll(/\s+/g, ' ');
}
