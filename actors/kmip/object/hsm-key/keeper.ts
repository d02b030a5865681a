// Makes, takes and destroys the keys of tokens for the operations that create and destroy objects.
import type { KeyObject } from 'node:crypto';
import { keyFacts } from '../../../../crypto/key/key-algorithm.ts';
import type { AttributeSet } from '../../../../kmip/attribute/set.ts';
import { keyBlockOf } from '../../../../kmip/key-block.ts';
import type { ObjectType as ObjectTypeCode } from '../../../../kmip/object-type.ts';
import { isPublicName, publicName } from '../../../../kmip/pair-name.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { integer, type Structure } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { TokenKeyKind } from '../../../hsm/api.ts';
import type { OperationContext } from '../../operation-context.ts';
import { givenAlgorithm, givenLength } from '../attributes/new-attributes.ts';
import { placeOf, type TokenPlace } from '../hsm-identifier.ts';
import type { KeyKeeper, MadePair, PairToMake } from '../key-keeper.ts';
import type { ManagedObject, ObjectDescription } from '../managed-object.ts';
import { broughtKey } from './brought.ts';
import type { NameReservations } from './name-reservations.ts';
import { linkHalves } from './pair-links.ts';
import { publicKeyOf } from './public-key.ts';
import { guard, keptContent, kindOf, pairShape, secretShape, usesOf } from './shape.ts';
import type { Tokens } from './tokens.ts';
import { isUnanswered } from './unanswered.ts';

const { ObjectType } = ENUM;

type TakeIn = (ctx: OperationContext, place: TokenPlace) => Promise<void>;

export class TokenKeeper implements KeyKeeper {
  readonly #tokens: Tokens;
  readonly #isFree: (id: string) => Promise<boolean>;
  readonly #takeIn: TakeIn;
  readonly #names: NameReservations;

  /** @param isFree whether an object may get the identifier @param takeIn of a key that is on the token already */
  constructor(tokens: Tokens, names: NameReservations, isFree: (id: string) => Promise<boolean>, takeIn: TakeIn) {
    this.#tokens = tokens;
    this.#names = names;
    this.#isFree = isFree;
    this.#takeIn = takeIn;
  }

  /** A name that is free here, but not on the token, must not be tried again and again, as by the rotation of a key. */
  async #orTakeIn<T>(ctx: OperationContext, place: TokenPlace, make: Promise<T>): Promise<T> {
    try {
      return await make;
    } catch (error) {
      if (error instanceof Refusal && error.reason === 'ObjectAlreadyExists') await this.#takeIn(ctx, place);
      throw error;
    }
  }

  #place(id: string, isPublic = isPublicName(id)): TokenPlace {
    const place = placeOf(id, this.#tokens.prefixes, isPublic);
    if (!place) throw new Refusal('InvalidField', `${id} is not the identifier of a key in an HSM: hsm::<model>::<slot>::<name>`);
    return place;
  }

  /** @throws Refusal OperationNotSupported in a batch that may be undone, which a token cannot */
  #requireChange(ctx: OperationContext): void {
    if (ctx.reader !== ctx.server.store)
      throw new Refusal('OperationNotSupported', 'a batch with Undo cannot change keys in an HSM, because what a token does is not undone; use Stop');
  }

  /** Makes keys of these names, which stay reserved until their rows are written or they are discarded. @throws Refusal ObjectAlreadyExists before anything is made */
  async #making<T>(ctx: OperationContext, ids: readonly string[], make: () => Promise<T>): Promise<T> {
    this.#requireChange(ctx);
    if (!(await this.#names.take(ids, ctx.server.now()))) throw new Refusal('ObjectAlreadyExists', `an object ${ids[0]} is being made by another request`);
    try {
      for (const id of ids) if (!(await this.#isFree(id))) throw new Refusal('ObjectAlreadyExists', `an object ${id} already exists`);
      return await make();
    } catch (error) {
      // A token that has not answered may make the key still.
      if (!isUnanswered(error)) await this.#names.giveUp(ids);
      throw error;
    }
  }

  async #remove(id: string, kind: TokenKeyKind): Promise<void> {
    const place = this.#place(id, kind === 'public');
    await this.#tokens.call(place, 'to destroy the key', (hsm, slot) => hsm.destroy(slot, { name: place.name, kind }));
  }

  ownerOf(id: string): string {
    return this.#place(id).prefix;
  }

  makeSecret(ctx: OperationContext, id: string, type: ObjectTypeCode, attributes: AttributeSet): Promise<Structure> {
    return this.#making(ctx, [id], () => this.#makeSecret(ctx, id, type, attributes));
  }

  async #makeSecret(ctx: OperationContext, id: string, type: ObjectTypeCode, attributes: AttributeSet): Promise<Structure> {
    const place = this.#place(id, false);
    const algorithm = givenAlgorithm(attributes);
    const shape = secretShape(type, algorithm, givenLength(attributes));
    const options = { ...shape, name: place.name, uses: usesOf(attributes), ...guard(attributes) };
    attributes.set(integer(TAG.CryptographicLength, shape.bits));
    await this.#orTakeIn(
      ctx,
      place,
      this.#tokens.call(place, `to make a key of ${shape.bits} bits`, (hsm, slot) => hsm.generate(slot, options)),
    );
    return keptContent(type === ObjectType.SecretData ? TAG.SecretData : TAG.SymmetricKey, algorithm, shape.bits);
  }

  makePair(ctx: OperationContext, id: string, pair: PairToMake): Promise<MadePair> {
    return this.#making(ctx, [id, publicName(id)], () => this.#makePair(ctx, id, pair));
  }

  async #makePair(ctx: OperationContext, id: string, pair: PairToMake): Promise<MadePair> {
    const place = this.#place(id, false);
    const made = await this.#orTakeIn(ctx, place, makePair(this.#tokens, place, pair));
    if (made) return made;
    // Nobody could find such a pair, which would take the name.
    await this.discard([id, publicName(id)]);
    throw new Refusal('GeneralFailure', 'the token made a pair, but does not tell its public key');
  }

  take(ctx: OperationContext, id: string, type: ObjectTypeCode, content: Structure, attributes: AttributeSet): Promise<Structure> {
    return this.#making(ctx, [id], () => this.#take(ctx, id, type, content, attributes));
  }

  async #take(ctx: OperationContext, id: string, type: ObjectTypeCode, content: Structure, attributes: AttributeSet): Promise<Structure> {
    if (keyBlockOf(content).wrapping)
      throw new Refusal(
        'InvalidField',
        `${id}: a key that comes wrapped is not brought to a token: with an identifier outside of the HSM it is used by the token of its wrapping key`,
      );
    const object = { id, type, content, attributes, owner: '', state: ENUM.State.PreActive, archived: false };
    const place = this.#place(id, type === ObjectType.PublicKey);
    return this.#orTakeIn(ctx, place, take(this.#tokens, place, object, attributes));
  }

  linkTaken(...taken: Parameters<typeof linkHalves>): Promise<void> {
    return linkHalves(...taken);
  }

  /** What cannot be destroyed now is found on the token later. */
  async discard(ids: readonly string[]): Promise<void> {
    for (const id of ids)
      for (const kind of isPublicName(id) ? (['public'] as const) : (['secret', 'private'] as const)) await this.#remove(id, kind).catch(() => {});
    await this.#names.giveUp(ids);
  }

  async destroy(ctx: OperationContext, object: ObjectDescription): Promise<void> {
    this.#requireChange(ctx);
    await this.#remove(object.id, kindOf(object));
  }
}

/** @returns undefined if nobody knows the public key */
async function makePair(
  tokens: Tokens,
  place: TokenPlace,
  { algorithm, options, privateAttributes, publicAttributes }: PairToMake,
): Promise<MadePair | undefined> {
  const type = pairShape(algorithm, options);
  const wish = { type, name: place.name, uses: usesOf(privateAttributes), publicUses: usesOf(publicAttributes), ...guard(privateAttributes) };
  const made = await tokens.call(place, `to make a pair of ${algorithm}`, (hsm, slot) => hsm.generatePair(slot, wish));
  const publicKey = made.publicKey && publicKeyOf(made.publicKey);
  return publicKey && madePair(publicKey);
}

function madePair(publicKey: KeyObject): MadePair {
  const { length, curve } = keyFacts(publicKey);
  return { privateKey: undefined, publicKey, length, ...(curve === undefined ? {} : { curve }) };
}

async function take(tokens: Tokens, place: TokenPlace, object: ManagedObject, attributes: AttributeSet): Promise<Structure> {
  const { type } = object;
  const isPublic = type === ObjectType.PublicKey;
  const protection = isPublic ? { sensitive: false, extractable: true } : guard(attributes);
  const { key, algorithm, length } = broughtKey(object);
  const options = { name: place.name, uses: usesOf(attributes), ...protection };
  await tokens.call(place, 'to take the key', (hsm, slot) => hsm.bring(slot, options, key));
  return isPublic ? (object.content as Structure) : keptContent(KEPT_TAG[type] as number, algorithm, length);
}

const KEPT_TAG: Readonly<Record<number, number>> = {
  [ObjectType.SymmetricKey]: TAG.SymmetricKey,
  [ObjectType.SecretData]: TAG.SecretData,
  [ObjectType.PrivateKey]: TAG.PrivateKey,
};
