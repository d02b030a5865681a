// A transaction of the store for an operation: reads and writes objects.
import type { Transaction } from '../../kernel/store/store.ts';
import { type Along, together } from '../../kernel/store/together.ts';
import type { OperationName } from '../../kmip/operation-name.ts';
import { Refusal } from '../../kmip/refusal.ts';
import type { Structure } from '../../kmip/ttlv/node.ts';
import { Finder } from './object/finding/finder.ts';
import { type IndexTerm, keysetOf, keysetTerm, wrappingTerm } from './object/index-terms.ts';
import { requireUnshadowed } from './object/keyset/shadowed-keyset.ts';
import type { DescriptionDraft, Draft } from './object/managed-object.ts';
import type { ObjectWriter } from './object/object-source.ts';
import { quotaProblem } from './object/quota.ts';
import type { Opening } from './object/rows/content-room.ts';
import { requireUniqueNames } from './object/unique-name.ts';
import type { ObjectTransaction, OperationContext } from './operation-context.ts';
import { requireConstraints } from './policy/constraint.ts';
import { auditActor } from './principal.ts';

export class Changes implements ObjectTransaction {
  readonly finder: Finder<Draft, DescriptionDraft>;
  readonly tx: Transaction;
  readonly #ctx: OperationContext;
  readonly #objects: ObjectWriter;

  /** @param opening the open contents of this call; a transaction takes room without waiting, because it keeps others waiting */
  constructor(ctx: OperationContext, tx: Transaction, opening: Opening) {
    this.#ctx = ctx;
    this.tx = tx;
    this.#objects = ctx.server.objects.within(tx, ctx.caller);
    this.finder = new Finder<Draft, DescriptionDraft>(ctx, {
      from: tx,
      held: (id, content) => this.#objects.held(id, content),
      readWhole: async (held) => {
        opening.takeAtOnce(held.contentBytes);
        const whole = await this.#objects.readWhole(held);
        opening.hold(whole?.object.content);
        return whole;
      },
    });
  }

  use(payload: Structure, right: OperationName, tag?: number): Draft | Promise<Draft> {
    return this.finder.use(payload, right, tag);
  }

  byId(id: string, right: OperationName): Draft | Promise<Draft> {
    return this.finder.byId(id, right);
  }

  describe(payload: Structure, right: OperationName): DescriptionDraft | Promise<DescriptionDraft> {
    return this.finder.describe(payload, right);
  }

  describeById(id: string, right: OperationName): DescriptionDraft | Promise<DescriptionDraft> {
    return this.finder.describeById(id, right);
  }

  findPermitted(id: string, right: OperationName): Promise<DescriptionDraft | undefined> {
    return this.finder.findPermitted(id, right);
  }

  read(id: string): Promise<DescriptionDraft | undefined> {
    return this.#objects.describe(id);
  }

  readWhole(id: string): Promise<Draft | undefined> {
    return this.#objects.read(id);
  }

  findWrapped({ id, owner }: DescriptionDraft): Promise<string[]> {
    return this.#holders(owner, wrappingTerm(id));
  }

  async wrappedBy(name: string, owner: string | undefined, most: number): Promise<string[]> {
    const { tag, value } = wrappingTerm(name);
    const whose = owner === undefined ? [] : [owner];
    const sql = `SELECT object_id AS id FROM kms_attribute WHERE tag = $1 AND value = $2${owner === undefined ? '' : ' AND owner = $3'} LIMIT ${most}`;
    return (await this.tx.all<{ id: string }>(sql, [tag, value, ...whose])).map(({ id }) => id);
  }

  async generations(member: DescriptionDraft): Promise<DescriptionDraft[]> {
    const keyset = keysetOf(member);
    const found: DescriptionDraft[] = [];
    for (const id of keyset === undefined ? [] : await this.#holders(member.owner, keysetTerm(keyset))) {
      const other = id === member.id ? undefined : await this.read(id);
      // The index is only a hint about where to look.
      if (other?.owner === member.owner && keysetOf(other) === keyset) found.push(other);
    }
    return found;
  }

  async #holders(owner: string, { tag, value }: IndexTerm): Promise<string[]> {
    const found = await this.tx.all<{ id: string }>('SELECT object_id AS id FROM kms_attribute WHERE owner = $1 AND tag = $2 AND value = $3', [
      owner,
      tag,
      value,
    ]);
    return found.map((row) => row.id);
  }

  insert(object: Draft, kin?: readonly string[]): Promise<void> {
    return this.#insert(object, kin, async () => {});
  }

  create(event: string, object: Draft): Promise<void> {
    return this.#insert(object, [], () => this.audit(event, object.id));
  }

  async overwrite(object: Draft): Promise<void> {
    await this.#requireConstraints(object);
    await this.resize(object);
  }

  /** They are for what the caller makes: somebody else has made what was found. */
  async #requireConstraints(object: Draft): Promise<void> {
    if (!object.found) requireConstraints((await this.#ctx.policy(this.tx)).constraints, object);
  }

  async #insert(object: Draft, kin: readonly string[] | undefined, along: Along): Promise<void> {
    await this.#requireConstraints(object);
    const added = await this.#objects.insert(object, () => together([this.#requireRoom(object.owner, 'objects'), along()]));
    await requireUniqueNames(this.tx, object, added, this.#ctx.caller, kin);
    await requireUnshadowed(this.tx, object, added);
  }

  async update(object: DescriptionDraft): Promise<void> {
    const added = await this.#objects.update(object);
    await requireUniqueNames(this.tx, object, added, this.#ctx.caller);
    await requireUnshadowed(this.tx, object, added);
  }

  async resize(object: DescriptionDraft): Promise<void> {
    const size = async () => (await this.tx.get<{ size: number }>('SELECT size FROM kms_object WHERE id = $1', [object.id]))?.size ?? 0;
    const before = await size();
    await this.update(object);
    if ((await size()) > before) await this.#requireRoom(object.owner, 'objects');
  }

  async #requireRoom(owner: string, what: 'objects' | 'grants'): Promise<void> {
    const problem = await quotaProblem(this.tx, this.#ctx.server.args.quotas, owner, what);
    if (problem) throw new Refusal('ServerLimitExceeded', problem);
  }

  async remove(id: string): Promise<void> {
    await this.#objects.remove(id);
  }

  async copyGrants(from: DescriptionDraft, to: Draft): Promise<void> {
    await this.#objects.copyGrants(from, to);
    await this.#requireRoom(to.owner, 'grants');
  }

  audit(event: string, target: string): Promise<void> {
    return this.tx.audit({ event, target, outcome: 'success', ...auditActor(this.#ctx.caller) });
  }
}
