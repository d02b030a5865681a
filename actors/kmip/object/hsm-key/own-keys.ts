// Tells which keys on tokens are key-encryption keys of this server, whichever of its names a key is asked for by.
import { Fault } from '../../../../kernel/fault.ts';
import type { SlotPlace, TokenKey } from '../../../hsm/api.ts';
import { identifierOf, placeOf, type TokenPlace, withPlainSlot } from '../hsm-identifier.ts';
import type { Tokens } from './tokens.ts';

export class OwnKeys {
  readonly #tokens: Tokens;
  readonly #places: TokenPlace[];
  /** The configured places whose tokens have not told the other names of the keys yet. */
  readonly #untold: Set<TokenPlace>;
  /** Identifiers in full. */
  readonly #configured: ReadonlySet<string>;

  /** @param identifiers of the configuration */
  constructor(tokens: Tokens, identifiers: readonly string[]) {
    this.#tokens = tokens;
    this.#places = identifiers.flatMap((own) => placeOf(withPlainSlot(own), tokens.prefixes, false) ?? []);
    this.#untold = new Set(this.#places);
    this.#configured = new Set(this.#places.map((place) => identifierOf(place)));
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
  isFound({ names }: TokenKey, at: SlotPlace): boolean {
    const own = this.#places.find((place) => names.some((name) => this.#tokens.isSame({ ...at, name }, place)));
    // Its token answers. The one who searches does not wait, and another key may have one of these names as its label.
    if (own && this.#untold.has(own)) void this.#ask(own);
    return own !== undefined;
  }

  /** Identifiers other than the configured ones, as far as they are known: an older version may have stored the keys under them. */
  otherIdentifiers(): string[] {
    return this.#places.flatMap((own) => this.#tokens.allOf(own).map((place) => identifierOf(place))).filter((id) => !this.#configured.has(id));
  }

  #learn(own: TokenPlace, names: readonly string[]): void {
    const isNew = (name: string) => !this.#places.some((place) => place.name === name && place.prefix === own.prefix && place.slot === own.slot);
    this.#places.push(...names.filter(isNew).map((name) => ({ ...own, name })));
  }

  /** While the token does not answer, nothing can use the key; the next call asks again. */
  async #ask(own: TokenPlace): Promise<void> {
    try {
      const find = (at: SlotPlace) => this.#tokens.ask(at, (hsm, slot) => hsm.find(slot, { name: own.name, kind: 'secret' }));
      const there = await find(own);
      // The key is used on the slot that has the token of the configured one.
      const found = !there.ok && there.failure.holder ? await find(there.failure.holder) : there;
      // One that is absent is made by this server, with one name, or is gone.
      if (!found.ok && found.failure.why !== 'absent') return;
      if (this.#untold.delete(own) && found.ok) this.#learn(own, found.value.names);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
    }
  }

  #placeOf(id: string): TokenPlace | undefined {
    return this.#places.length > 0 ? placeOf(id, this.#tokens.prefixes, false) : undefined;
  }
}
