// Which of several configured slots has a token: one of them, so that a key has one identifier, one state and one list of who may use it.
import type pkcs11js from 'pkcs11js';
import type { Store } from '../../../kernel/store/store.ts';
import type { SlotPlace } from '../api.ts';
import type { HsmArgs } from '../args.ts';
import { findSlot } from '../token/find-slot.ts';

/** A configured slot that may lead to the token of another one. */
export interface SlotClaim {
  readonly prefix: string;
  readonly number: number;
  /** It comes before the other one in the configuration. */
  readonly isBefore: boolean;
  /** Serial number of the token that it is bound to; undefined before its first login. */
  readonly serial: string | undefined;
}

/** Another slot has the token. */
export class TokenTaken extends Error {
  readonly serial: string;
  readonly holder: SlotPlace;

  constructor(serial: string, { prefix, number }: SlotClaim) {
    super(`the token ${serial} is that of slot ${number} of ${prefix}: a token belongs to one slot of one instance, so take one of the two out of hsm_slot`);
    this.serial = serial;
    this.holder = { prefix, slot: number };
  }
}

/** Token and slot of whoever asks. */
interface Asked {
  readonly slot: pkcs11js.Handle;
  readonly serial: string;
  readonly isBound: boolean;
}

/** @returns what reads the claims of the other slots of its library, in the order of the configuration, as they are stored now */
export function claimsOn({ prefix, slots, peers = [] }: HsmArgs, number: number, node: string, store: Store): () => Promise<readonly SlotClaim[]> {
  const own = slots.findIndex((slot) => slot.number === number);
  const ofPeers = peers.flatMap((peer) => peer.slots.map((each) => ({ prefix: peer.prefix, number: each, isBefore: peer.isBefore })));
  const others = [
    ...ofPeers.filter(({ isBefore }) => isBefore),
    ...slots.flatMap((slot, at) => (at === own ? [] : [{ prefix, number: slot.number, isBefore: at < own }])),
    ...ofPeers.filter(({ isBefore }) => !isBefore),
  ];
  return async () => {
    if (others.length === 0) return [];
    const rows = await store.all<{ prefix: string; slot: number; serial: string }>('SELECT prefix, slot, serial FROM hsm_slot WHERE node = $1', [node]);
    const serials = new Map(rows.map((row) => [`${row.prefix} ${row.slot}`, row.serial]));
    return others.map((other) => ({ ...other, serial: serials.get(`${other.prefix} ${other.number}`) }));
  };
}

/**
 * A slot that is bound to the token has it before one that only its number leads there; of two alike the first of the configuration has it.
 * @throws TokenTaken if another slot has the token in place of the one that asks
 */
export function requireFree(library: pkcs11js.PKCS11, { slot, serial, isBound }: Asked, claims: readonly SlotClaim[]): void {
  const hasIt = (claim: SlotClaim) => (claim.serial === undefined ? !isBound && claim.isBefore : claim.serial === serial && (!isBound || claim.isBefore));
  const boundFirst = claims.toSorted((one, other) => Number(one.serial === undefined) - Number(other.serial === undefined));
  const claimant = boundFirst.find((claim) => hasIt(claim) && slotOf(library, claim)?.equals(slot));
  if (claimant) throw new TokenTaken(serial, claimant);
}

/** Where the claim leads; undefined if its token is not there. */
function slotOf(library: pkcs11js.PKCS11, { number, serial }: SlotClaim): pkcs11js.Handle | undefined {
  try {
    return findSlot(library, number, serial, undefined, undefined);
  } catch {
    return undefined;
  }
}
