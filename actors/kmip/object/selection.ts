// A query over the rows of kms_object that the caller owns or was granted: it finds those that have all index terms and meet all conditions.
import type { SqlValue } from '../../../kernel/store/store.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Principal } from '../api.ts';
import { granteesOf } from './grants.ts';
import type { IndexTerm } from './index-terms.ts';

/** More than anybody needs; the databases have limits of their own. */
const MAX_TERMS = 100;

/** Applies separately to grants to the caller by name, to the caller's realm, and to everybody. */
const MAX_GRANTS_SEARCHED = 10_000;

/** Terms that few objects have. The query starts from one of these and checks the other terms for each row. */
const SELECTIVE: ReadonlySet<number> = new Set([TAG.Name, TAG.Link, TAG.Attribute, TAG.RotateName, TAG.ApplicationSpecificInformation, TAG.ObjectGroup]);

/** What is searched: the caller's own objects, or those that others have granted. */
export type Scope = 'own' | 'granted';

/** The caller's own objects come first, so that granted ones cannot displace them. */
export const SCOPES: readonly Scope[] = ['own', 'granted'];

export class Selection {
  readonly params: SqlValue[] = [];
  /** Placeholders of the accounts whose objects are the caller's own. */
  readonly #owners: string;
  readonly #grantees: readonly string[];
  readonly #terms: IndexTerm[] = [];
  readonly #conditions: string[] = [];

  constructor(caller: Principal, scope: Scope) {
    this.#owners = [caller.user, ...(caller.administers ?? [])].map((owner) => this.param(owner)).join(', ');
    this.#grantees = scope === 'own' ? [] : granteesOf(caller).map((each) => this.param(each));
  }

  /** Adds a parameter. @returns its placeholder for a condition */
  param(value: SqlValue): string {
    return `$${this.params.push(value)}`;
  }

  /** @throws Refusal InvalidField for too many terms */
  term(term: IndexTerm): void {
    if (this.#terms.length === MAX_TERMS) throw new Refusal('InvalidField', `a search can contain at most ${MAX_TERMS} attributes and tags`);
    if (isSelective(term)) this.#terms.unshift(term);
    else this.#terms.push(term);
  }

  /** Adds a condition on columns of the rows `o`. */
  where(condition: string): void {
    this.#conditions.push(condition);
  }

  /** Rows of `id`, `seq`, `owner` and `bytes` (the size of the attributes), unordered and without duplicates. */
  sql(): string {
    const terms = this.#terms.map(({ tag, value }) => `a.tag = ${this.param(tag)} AND a.value = ${this.param(value)}`);
    const has = terms.map((term) => `EXISTS (SELECT 1 FROM kms_attribute a WHERE a.object_id = o.id AND ${term})`);
    if (this.#grantees.length > 0)
      return rows([`o.id IN (${this.#grantees.map(grantedToSql).join(' UNION ')})`, `o.owner NOT IN (${this.#owners})`, ...has, ...this.#conditions]);
    const own =
      terms.length === 0
        ? [`o.owner IN (${this.#owners})`]
        : [`o.id IN (SELECT a.object_id FROM kms_attribute a WHERE a.owner IN (${this.#owners}) AND ${terms[0]})`];
    return rows([...own, ...has.slice(1), ...this.#conditions]);
  }
}

/** System tags, such as the one that all symmetric keys have, begin with an underscore. */
function isSelective({ tag, value }: IndexTerm): boolean {
  return SELECTIVE.has(tag) || (tag === TAG.Tag && !value.startsWith('_'));
}

/** Anybody may grant to everybody, so the number of grants is limited for each kind of grantee; the oldest grants are searched. */
function grantedToSql(grantee: string): string {
  return `SELECT * FROM (SELECT g.object_id FROM kms_grant g WHERE g.user_id = ${grantee} ORDER BY g.granted_at, g.object_id LIMIT ${MAX_GRANTS_SEARCHED}) AS f${grantee.slice(1)}`;
}

function rows(conditions: readonly string[]): string {
  return `SELECT o.id, o.seq, o.owner, length(o.attributes) AS bytes FROM kms_object o WHERE ${conditions.join(' AND ')}`;
}
