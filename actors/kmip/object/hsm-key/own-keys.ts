// The server's own keys on tokens, its key-encryption keys: hidden under each name that an instance finds them by.
import { andThen } from '../../../../kernel/at-once.ts';
import type { TokenKey } from '../../../hsm/api.ts';
import { identifierOf, placeOf, type TokenPlace, withPlainSlot } from './identifier.ts';
import type { Tokens } from './tokens.ts';

export class OwnKeys {
  readonly #tokens: Tokens;
  readonly #places: TokenPlace[];
  /** The configured places whose keys have not told their other names yet. */
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

  /** By all names: the tokens are asked for those of their keys once. */
  isOne(id: string): boolean | Promise<boolean> {
    const place = this.#placeOf(id);
    if (!place || this.has(id)) return place !== undefined;
    const untold = [...this.#untold].filter((own) => this.#tokens.isSame({ ...place, name: own.name }, own));
    return andThen(this.told(untold), () => this.has(id));
  }

  /** Asks for the names that are not known yet. */
  told(untold: readonly TokenPlace[] = [...this.#untold]): Promise<unknown> | undefined {
    return untold.length > 0 ? Promise.all(untold.map((own) => this.#ask(own))) : undefined;
  }

  /** Whether a key that was found at a place is one of them. */
  isFound({ names }: TokenKey, at: Pick<TokenPlace, 'prefix' | 'slot'>): boolean {
    return names.some((name) => this.has(identifierOf({ ...at, name })));
  }

  /** Nothing uses the key while its token does not answer; it is asked again with the next call. */
  async #ask(own: TokenPlace): Promise<void> {
    const found = await this.#tokens.ask(own, (hsm, slot) => hsm.find(slot, { name: own.name, kind: 'secret' }));
    if (!found.ok || !this.#untold.delete(own)) return;
    for (const name of found.value.names) if (name !== own.name) this.#places.push({ ...own, name });
  }

  #placeOf(id: string): TokenPlace | undefined {
    return this.#places.length > 0 ? placeOf(id, this.#tokens.prefixes, false) : undefined;
  }
}
