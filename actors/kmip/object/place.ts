// Chooses the source and the identifier of a new object. Every operation asks for them before it creates anything.
import type { ObjectType } from '../../../kmip/object-type.ts';
import { publicName } from '../../../kmip/pair-name.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { type Node, TYPE } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { ObjectTransaction, OperationContext } from '../operation-context.ts';
import { requireChosen } from './finding/identifier.ts';
import type { ObjectSource } from './object-source.ts';

const { PrivateKey, PublicKey } = ENUM.ObjectType;
const ASKED = Symbol('asked');

/** Created by `placeFor` only, and required for every new object. */
export interface Place {
  readonly id: string;
  readonly source: ObjectSource;
  /** The client chose the identifier. */
  readonly chosen: boolean;
  readonly [ASKED]: true;
}

interface Wanted {
  readonly type: ObjectType;
  /** The identifier that the client wants. */
  readonly chosen?: string | undefined;
  /** Used if the client has not chosen an identifier: one derived from that of another object. */
  readonly derived?: string | undefined;
  /** Used if there is neither: the object to replace; the new one goes to the same source. */
  readonly replaced?: string | undefined;
  /** The identifier of an object that is in its source already: somebody else made it there. */
  readonly found?: string;
}

/** @throws Refusal for a malformed identifier, or if the source cannot hold such an object */
export function placeFor({ server: { objects }, caller }: Pick<OperationContext, 'server' | 'caller'>, wanted: Wanted): Place {
  const { type, chosen, derived, replaced, found } = wanted;
  const given = chosen === undefined ? (found ?? derived) : objects.canonical(requireChosen(chosen));
  const known = given ?? replaced;
  const source = known === undefined ? objects.main : objects.sourceOf(known);
  const id = given ?? source.newIdentifier(replaced);
  source.requirePlace(id, type, caller, found !== undefined);
  return { id, source, chosen: chosen !== undefined, [ASKED]: true };
}

/**
 * After which identifiers those of the replacements of these objects come: their own, or, where their source numbers generations, the last ones
 * whose places are taken, as by a generation that is destroyed.
 */
export async function lastGeneration<const T extends readonly string[]>(
  tx: ObjectTransaction,
  { server }: Pick<OperationContext, 'server'>,
  ids: T,
): Promise<T> {
  const source = server.objects.sourceOf(ids[0] as string);
  if (!source.keeper) return ids;
  let last = ids;
  for (;;) {
    const next = last.map((id) => source.newIdentifier(id)) as unknown as T;
    let isTaken = false;
    for (const id of next) isTaken ||= (await tx.read(id)) !== undefined;
    if (!isTaken) return last;
    last = next;
  }
}

/**
 * A token may already have the next generation, for instance one that it made for a call that had timed out. The first attempt takes that key in, so the
 * second one goes past it.
 */
export async function pastTaken<T>(replace: () => Promise<T>): Promise<T> {
  try {
    return await replace();
  } catch (error) {
    if (!(error instanceof Refusal && error.reason === 'ObjectAlreadyExists')) throw error;
    return replace();
  }
}

/** The identifier among the attributes that a client gives. */
export function chosenIn(attributes: readonly Node[]): string | undefined {
  const node = attributes.find(({ tag }) => tag === TAG.UniqueIdentifier);
  return node?.type === TYPE.TextString ? node.value : undefined;
}

export interface PairPlaces {
  readonly privateKey: Place;
  readonly publicKey: Place;
}

/** @param chosen the identifier of the private key, from which that of the public key is derived @param replaced the identifiers of the pair that the new one replaces */
export function pairPlaces(
  ctx: Pick<OperationContext, 'server' | 'caller'>,
  chosen?: string,
  replaced?: { readonly privateKey: string; readonly publicKey: string },
): PairPlaces {
  return {
    privateKey: placeFor(ctx, { type: PrivateKey, chosen, replaced: replaced?.privateKey }),
    publicKey: placeFor(ctx, { type: PublicKey, derived: chosen === undefined ? undefined : publicName(chosen), replaced: replaced?.publicKey }),
  };
}
