// A query over the rows of kms_object: of a caller's own or of those granted to the caller, those with all terms of the index and all conditions.
import type { SqlValue } from '../../../kernel/store/store.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Principal } from '../api.ts';
import { granteesOf } from './grants.ts';
import type { IndexTerm } from './index-terms.ts';

/** More than anybody asks for; the databases have limits of their own. */
const MAX_TERMS = 100;

/** Of those made to the caller by name, to the caller's realm, and to everybody. */
const MAX_GRANTS_SEARCHED = 10_000;

/** Terms that few objects have: of these one leads to the rows, the others are looked up for each. */
const SELECTIVE: ReadonlySet<number> = new Set([TAG.Name, TAG.Link, TAG.Attribute, TAG.RotateName, TAG.ApplicationSpecificInformation, TAG.ObjectGroup]);

/** What is searched: the caller's own objects, or those that others have granted. */
export type Scope = 'own' | 'granted';

/** Objects granted by others must not displace the caller's own. */
export const SCOPES: readonly Scope[] = ['own', 'granted'];

export class Selection {
  readonly params: SqlValue[] = [];
  readonly #owner: string;
  readonly #grantees: readonly string[];
  readonly #terms: IndexTerm[] = [];
  readonly #conditions: string[] = [];

  constructor(caller: Principal, scope: Scope) {
    this.#owner = this.param(caller.user);
    this.#grantees = scope === 'own' ? [] : granteesOf(caller).map((each) => this.param(each));
  }

  /** How the value is written in a condition. */
  param(value: SqlValue): string {
    return `$${this.params.push(value)}`;
  }

  /** @throws Refusal InvalidField for too many of them */
  term(term: IndexTerm): void {
    if (this.#terms.length === MAX_TERMS) throw new Refusal('InvalidField', `a search can contain at most ${MAX_TERMS} attributes and tags`);
    if (isSelective(term)) this.#terms.unshift(term);
    else this.#terms.push(term);
  }

  /** A condition on columns of the rows `o`. */
  where(condition: string): void {
    this.#conditions.push(condition);
  }

  /** Rows of `id`, `seq`, `owner` and `bytes`, the size of the attributes, in no order. No object is among them twice. */
  sql(): string {
    const terms = this.#terms.map(({ tag, value }) => `a.tag = ${this.param(tag)} AND a.value = ${this.param(value)}`);
    const has = terms.map((term) => `EXISTS (SELECT 1 FROM kms_attribute a WHERE a.object_id = o.id AND ${term})`);
    if (this.#grantees.length > 0)
      return rows([`o.id IN (${this.#grantees.map(grantedToSql).join(' UNION ')})`, `o.owner <> ${this.#owner}`, ...has, ...this.#conditions]);
    const own =
      terms.length === 0 ? [`o.owner = ${this.#owner}`] : [`o.id IN (SELECT a.object_id FROM kms_attribute a WHERE a.owner = ${this.#owner} AND ${terms[0]})`];
    return rows([...own, ...has.slice(1), ...this.#conditions]);
  }
}

/** System tags, such as that of all symmetric keys, begin with an underscore. */
function isSelective({ tag, value }: IndexTerm): boolean {
  return SELECTIVE.has(tag) || (tag === TAG.Tag && !value.startsWith('_'));
}

/** Everybody may grant to everybody: of each kind of grantee the grants that were made first are searched. */
function grantedToSql(grantee: string): string {
  return `SELECT * FROM (SELECT g.object_id FROM kms_grant g WHERE g.user_id = ${grantee} ORDER BY g.granted_at, g.object_id LIMIT ${MAX_GRANTS_SEARCHED}) AS f${grantee.slice(1)}`;
}

function rows(conditions: readonly string[]): string {
  return `SELECT o.id, o.seq, o.owner, length(o.attributes) AS bytes FROM kms_object o WHERE ${conditions.join(' AND ')}`;
}
