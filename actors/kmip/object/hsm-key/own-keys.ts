// Tells which keys on tokens are key-encryption keys of this server, whichever of its names a key is asked for by.
import { Fault } from '../../../../kernel/fault.ts';
import type { TokenKey } from '../../../hsm/api.ts';
import { identifierOf, placeOf, type TokenPlace, withPlainSlot } from './identifier.ts';
import type { Tokens } from './tokens.ts';

export class OwnKeys {
  readonly #tokens: Tokens;
  readonly #places: TokenPlace[];
  /** The configured places whose tokens have not told the other names of the keys yet. */
  readonly #untold: Set<TokenPlace>;

  /** @param identifiers of the configuration */
  constructor(tokens: Tokens, identifiers: readonly string[]) {
    this.#tokens = tokens;
    this.#places = identifiers.flatMap((own) => placeOf(withPlainSlot(own), tokens.prefixes, false) ?? []);
    this.#untold = new Set(this.#places);
  }

  /** By the names that are known so far; also by the name that another instance gives the token. */
  has(id: string): boolean {
    const place = this.#placeOf(id);
    return place !== undefined && this.#places.some((own) => this.#tokens.isSame(place, own));
  }

  /** By all names. Asks the token for them once, because an older version may have stored the key under another one. */
  isOne(id: string): boolean | Promise<boolean> {
    const place = this.#placeOf(id);
    if (!place || this.has(id)) return place !== undefined;
    const untold = [...this.#untold].filter((own) => this.#tokens.isSame({ ...place, name: own.name }, own));
    return untold.length > 0 && Promise.all(untold.map((own) => this.#ask(own))).then(() => this.has(id));
  }

  /** Whether a key that was found at a place is one of them. */
  isFound({ names }: TokenKey, at: Pick<TokenPlace, 'prefix' | 'slot'>): boolean {
    return names.some((name) => this.has(identifierOf({ ...at, name })));
  }

  /** While the token does not answer, nothing can use the key; the next call asks again. */
  async #ask(own: TokenPlace): Promise<void> {
    try {
      const found = await this.#tokens.ask(own, (hsm, slot) => hsm.find(slot, { name: own.name, kind: 'secret' }));
      // One that is absent is made by this server, with one name, or is gone.
      if (!found.ok && found.failure.why !== 'absent') return;
      if (this.#untold.delete(own) && found.ok) this.#places.push(...found.value.names.map((name) => ({ ...own, name })));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
    }
  }

  #placeOf(id: string): TokenPlace | undefined {
    return this.#places.length > 0 ? placeOf(id, this.#tokens.prefixes, false) : undefined;
  }
}
