// A key as its token knows it: where it lies, what it is, and the calls of the token on it.
import { move, textOfBytes } from '../../../../kernel/runtime/channel/bytes.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import type {
  FlatAnswer,
  FlatMechanism,
  FlatUse,
  HsmAnswer,
  PartOutput,
  PartOwner,
  PartStart,
  Sealed,
  TokenKeyKind,
  TokenKeyName,
  TokenMechanism,
} from '../../../hsm/api.ts';
import { placeOf, type TokenPlace } from '../hsm-identifier.ts';
import type { ManagedObject } from '../managed-object.ts';
import { owned } from './cipher-mechanism.ts';
import { bytesIn, flatMechanism, sealedOf } from './flat-use.ts';
import { kindOf } from './shape.ts';
import { lacksMechanism } from './token-refusal.ts';
import type { Tokens } from './tokens.ts';

export class KeyOnToken {
  readonly tokens: Tokens;
  readonly id: string;
  readonly kind: TokenKeyKind;
  readonly place: TokenPlace;
  readonly name: TokenKeyName;

  /**
   * @param at where the key is, if its identifier does not say so: it comes to a token wrapped
   * @throws Refusal if the instance of the identifier is not configured any more
   */
  constructor(tokens: Tokens, object: ManagedObject, at?: { readonly place: TokenPlace; readonly name: TokenKeyName }) {
    this.tokens = tokens;
    this.id = object.id;
    this.kind = kindOf(object);
    const place = at?.place ?? placeOf(object.id, tokens.prefixes, this.kind === 'public');
    if (!place) throw new Refusal('GeneralFailure', `${object.id}: no HSM of this prefix is configured`);
    this.place = place;
    this.name = at?.name ?? { name: place.name, kind: this.kind };
  }

  /** The mechanisms of the token; undefined if they are not known yet. */
  get mechanisms(): ReadonlySet<string> | undefined {
    return this.tokens.knownMechanisms(this.place);
  }

  /** @throws Refusal UnsupportedCryptographicParameters if the token is known to lack it */
  requireMechanism(name: string): void {
    const { mechanisms } = this;
    if (mechanisms && !mechanisms.has(name)) throw lacksMechanism(name);
  }

  requireKind(...kinds: readonly TokenKeyKind[]): void {
    if (!kinds.includes(this.kind)) throw new Refusal('InvalidObjectType', `this needs a ${kinds.join(' or ')} key, but ${this.id} is a ${this.kind} key`);
  }

  encrypt(mechanism: TokenMechanism, data: Uint8Array): Promise<Sealed> {
    this.requireMechanism(mechanism.name);
    const flat = this.#flat(mechanism, data);
    if (flat) return this.#use('encrypt', sealedOf, flat, data);
    return this.tokens.call(this.place, mechanism.name, (hsm, slot) => hsm.encrypt(slot, this.name, mechanism, move(owned(data))));
  }

  /** A key that comes wrapped crosses as it is. */
  #flat(mechanism: TokenMechanism, data: Uint8Array): FlatMechanism | undefined {
    return this.name.wrapped ? undefined : flatMechanism(mechanism, data);
  }

  #use<T>(what: FlatUse, read: (answer: FlatAnswer) => HsmAnswer<T>, mechanism: FlatMechanism, data: Uint8Array): Promise<T> {
    const { kind, name } = this.name;
    return this.tokens.use(this.place, String(mechanism[0]), read, [what, this.place.slot, kind, name, mechanism, textOfBytes(data)]);
  }

  run(what: 'decrypt' | 'sign' | 'wrap' | 'unwrap', mechanism: TokenMechanism, data: Uint8Array): Promise<Uint8Array> {
    this.requireMechanism(mechanism.name);
    const flat = what === 'decrypt' || what === 'sign' ? this.#flat(mechanism, data) : undefined;
    if (flat) return this.#use(what as FlatUse, bytesIn, flat, data);
    return this.tokens.call(this.place, mechanism.name, (hsm, slot) => hsm[what](slot, this.name, mechanism, move(owned(data))));
  }

  beginParts(owner: PartOwner, start: PartStart, data: Uint8Array): Promise<PartOutput> {
    const { name } = start.mechanism;
    this.requireMechanism(name);
    return this.tokens.call(this.place, name, (hsm, slot) => hsm.beginParts(slot, owner, this.name, start, move(owned(data))));
  }

  nextPart(owner: PartOwner, value: Uint8Array, data: Uint8Array): Promise<PartOutput> {
    return this.tokens.call(this.place, 'a part', (hsm, slot) => hsm.nextPart(slot, owner, owned(value), move(owned(data))));
  }

  /** @param proof as in `PartStart` */
  lastPart(owner: PartOwner, value: Uint8Array, data: Uint8Array, proof: Uint8Array | undefined): Promise<PartOutput> {
    return this.tokens.call(this.place, 'the last part', (hsm, slot) => hsm.lastPart(slot, owner, owned(value), move(owned(data)), proof && owned(proof)));
  }

  /** @param length in bytes */
  derive(mechanism: TokenMechanism, length: number): Promise<Uint8Array> {
    this.requireMechanism(mechanism.name);
    return this.tokens.call(this.place, mechanism.name, (hsm, slot) => hsm.derive(slot, this.name, mechanism, length));
  }
}
