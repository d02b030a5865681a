// What a test knows of the keys that it made: what was answered must be there, what was under way may be there or not.
import { ENUM } from '../../kmip/ttlv/enumeration.ts';
import { boolean, bytes, dateTime, enumeration, integer, interval, type Node, structure, text } from '../../kmip/ttlv/node.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import { checkPair, checkSet, DATA, GCM, id, type KeySet, named, type Pair, stateOf } from './key-checks.ts';
import type { KeyAnswer, KeyClient } from './key-client.ts';

const { CryptographicAlgorithm, ObjectType } = ENUM;

/** Destroyed keys; undefined where the answer never came. */
type Fate = 'alive' | 'destroyed' | undefined;

const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(Math.random() * from.length)];

export class KeyLedger {
  answered = 0;
  rotations = 0;
  readonly #sets: KeySet[] = [];
  readonly #pairs: Pair[] = [];
  readonly #single = new Map<string, Fate>();
  #made = 0;

  /** Writes until the server does not answer any more. */
  async writeOn(client: KeyClient): Promise<void> {
    const writes = [
      () => this.#createSet(client),
      () => this.#createPair(client),
      () => this.#createSingle(client),
      () => this.#rekey(client),
      () => this.#rekey(client),
      () => this.#rekeyPair(client),
      () => this.#recertify(client),
      () => this.#destroy(client),
      () => this.#grant(client),
    ];
    for (;;) {
      const isAnswered = await (pick(writes) as (typeof writes)[number])();
      if (!isAnswered) return;
      this.answered += 1;
    }
  }

  async #createSet(client: KeyClient): Promise<boolean> {
    const number = ++this.#made;
    const isAutomatic = number % 3 === 0;
    const set: KeySet = { name: `set${number}`, ids: [], sealed: [], isAutomatic, grants: new Map() };
    const rotate = [interval(TAG.RotateInterval, 1), boolean(TAG.RotateAutomatic, true)];
    const keyset = structure(TAG.RotateName, [text(TAG.RotateNameValue, set.name), enumeration(TAG.RotateNameType, 1)]);
    const answer = await client.call('Create', aes(keyset, ...(isAutomatic ? rotate : [])));
    if (!answer) return false;
    set.ids.push(id(answer));
    this.#sets.push(set);
    return this.#seal(client, set);
  }

  async #seal(client: KeyClient, set: KeySet): Promise<boolean> {
    const answer = await client.call('Encrypt', [named(set.name), GCM, bytes(TAG.Data, DATA)]);
    if (answer) set.sealed.push({ id: id(answer), members: answer.members });
    return answer !== undefined;
  }

  async #rekey(client: KeyClient): Promise<boolean> {
    // Two writers may ask for one key: the second finds that it was replaced already.
    const set = pick(this.#sets.filter(({ isAutomatic }) => !isAutomatic));
    if (!set) return this.#createSet(client);
    const answer = await client.call('ReKey', [named(`${set.name}@latest`)]);
    if (!answer) return false;
    if (answer.ok) {
      set.ids.push(id(answer));
      this.rotations += 1;
    }
    return this.#seal(client, set);
  }

  async #createPair(client: KeyClient): Promise<boolean> {
    const attributes = [
      enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm.Ed25519),
      integer(TAG.CryptographicUsageMask, 0x03),
      dateTime(TAG.ActivationDate, 1),
    ];
    const answer = await client.call('CreateKeyPair', [structure(TAG.CommonAttributes, attributes)]);
    if (!answer) return false;
    const pair: Pair = { ...pairOf(answer), certificate: undefined, signature: undefined };
    const signature = await client.call('Sign', [named(pair.privateKey), bytes(TAG.Data, DATA)]);
    if (!signature) return false;
    pair.signature = signature.members['SignatureData'] as string;
    const certificate = await client.call('Certify', [named(pair.publicKey), structure(TAG.Attributes, [])]);
    if (certificate?.ok) pair.certificate = id(certificate);
    this.#pairs.push(pair);
    return certificate !== undefined;
  }

  async #rekeyPair(client: KeyClient): Promise<boolean> {
    const at = Math.floor(Math.random() * this.#pairs.length);
    const [pair] = this.#pairs.splice(at, 1);
    if (!pair) return this.#createPair(client);
    const answer = await client.call('ReKeyKeyPair', [text(TAG.PrivateKeyUniqueIdentifier, pair.privateKey)]);
    // The old pair stays what it was, whether the new one came to be or not.
    this.#pairs.push(pair);
    if (!answer) return false;
    if (!answer.ok) return true;
    this.rotations += 1;
    this.#pairs.push({ ...pairOf(answer), certificate: undefined, signature: undefined });
    return true;
  }

  async #recertify(client: KeyClient): Promise<boolean> {
    const pair = pick(this.#pairs.filter(({ certificate }) => certificate !== undefined));
    if (!pair) return this.#createPair(client);
    const answer = await client.call('ReCertify', [named(pair.certificate as string)]);
    if (answer?.ok) {
      pair.certificate = id(answer);
      this.rotations += 1;
    }
    return answer !== undefined;
  }

  async #createSingle(client: KeyClient): Promise<boolean> {
    const answer = await client.call('Create', aes());
    if (answer) this.#single.set(id(answer), 'alive');
    return answer !== undefined;
  }

  async #destroy(client: KeyClient): Promise<boolean> {
    const key = pick([...this.#single].filter(([, fate]) => fate === 'alive').map(([each]) => each));
    if (key === undefined) return this.#createSingle(client);
    this.#single.set(key, undefined);
    const reason = structure(TAG.RevocationReason, [enumeration(TAG.RevocationReasonCode, ENUM.RevocationReasonCode.CessationOfOperation)]);
    if (!(await client.call('Revoke', [named(key), reason]))) return false;
    const answer = await client.call('Destroy', [named(key)]);
    if (answer?.ok) this.#single.set(key, 'destroyed');
    return answer !== undefined;
  }

  async #grant(client: KeyClient): Promise<boolean> {
    const set = pick(this.#sets);
    if (!set) return this.#createSet(client);
    const given = [...set.grants].find(([, isThere]) => isThere)?.[0];
    const isTaken = given !== undefined && Math.random() < 0.5;
    const user = isTaken ? given : `user ${++this.#made}`;
    set.grants.set(user, undefined);
    const isDone = await client.access(isTaken ? 'revoke' : 'grant', set.ids[0] as string, user, ['encrypt', 'decrypt']);
    if (isDone) set.grants.set(user, !isTaken);
    return isDone !== undefined;
  }

  /** What is not as it was answered. */
  async check(client: KeyClient): Promise<string[]> {
    const wrong: string[] = [];
    for (const set of this.#sets) wrong.push(...(await checkSet(client, set)));
    for (const pair of this.#pairs) wrong.push(...(await checkPair(client, pair)));
    for (const [key, fate] of this.#single) {
      const state = await stateOf(client, key);
      const isRight = fate === 'alive' ? state === 'Active' : fate === 'destroyed' ? state === 'Destroyed' : state !== undefined;
      if (!isRight) wrong.push(`${key} is ${state}, it was ${fate}`);
    }
    return wrong;
  }

  /** How many keysets have a generation that nobody asked for. */
  async rotatedByItself(client: KeyClient): Promise<number> {
    let count = 0;
    for (const { name, ids } of this.#sets.filter(({ isAutomatic }) => isAutomatic)) {
      const answer = await client.call('GetAttributes', [named(`${name}@latest`)]);
      if (answer?.ok && id(answer) !== ids[0]) count += 1;
    }
    return count;
  }
}

function aes(...more: readonly Node[]): Node[] {
  const attributes = [
    enumeration(TAG.CryptographicAlgorithm, CryptographicAlgorithm.AES),
    integer(TAG.CryptographicLength, 256),
    integer(TAG.CryptographicUsageMask, 0x0c),
    dateTime(TAG.ActivationDate, 1),
  ];
  return [enumeration(TAG.ObjectType, ObjectType.SymmetricKey), structure(TAG.Attributes, [...attributes, ...more])];
}

function pairOf({ ok, reason, members }: KeyAnswer): { privateKey: string; publicKey: string } {
  if (!ok) throw new Error(`refused: ${reason}`);
  return { privateKey: members['PrivateKeyUniqueIdentifier'], publicKey: members['PublicKeyUniqueIdentifier'] };
}
