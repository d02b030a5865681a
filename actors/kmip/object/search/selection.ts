// A query over the rows of kms_object that the caller owns or was granted: it finds those that have all index terms and meet all conditions.
import type { SqlValue } from '../../../../kernel/store/store.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { Principal } from '../../api.ts';
import { granteesOf } from '../grants.ts';
import type { IndexTerm } from '../index-terms.ts';

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

  /** The terms; those that few objects have come first. */
  get terms(): readonly IndexTerm[] {
    return this.#terms;
  }

  /** Rows of `id`, `seq`, `owner` and `bytes` (the size of the attributes), unordered and without duplicates. */
  sql(): string {
    const [first, ...others] = this.#termSql();
    if (this.#grantees.length > 0) return rows([...this.#granted(), ...this.#probes([first, ...others]), ...this.#conditions]);
    const own = first === undefined ? `o.owner IN (${this.#owners})` : `o.id IN (${this.#withTerm(first, this.#owners)})`;
    return rows([own, ...this.#probes(others), ...this.#conditions]);
  }

  /** The same rows, for terms of which few objects of anybody have the one at `lead`: from that one on. */
  sqlFrom(lead: number): string {
    const terms = this.#termSql();
    const others = this.#probes(terms.filter((_, at) => at !== lead));
    const isGranted = `EXISTS (SELECT 1 FROM kms_grant g WHERE g.object_id = o.id AND g.user_id IN (${this.#grantees.join(', ')}))`;
    const own = this.#grantees.length === 0;
    const whose = own ? [] : [`o.owner NOT IN (${this.#owners})`, isGranted];
    return rows([`o.id IN (${this.#withTerm(terms[lead] as string, own ? this.#owners : undefined)})`, ...whose, ...others, ...this.#conditions]);
  }

  /** The same rows of the caller's own objects, for terms that many objects have, but few all of them. */
  sqlOfAll(): string {
    const [first, ...others] = this.#termSql().map((term) => this.#withTerm(term, this.#owners));
    const joins = others.map((set, at) => `JOIN (${set}) AS a${at} ON a${at}.object_id = a.object_id`);
    const found = `SELECT a.object_id FROM (${first}) AS a ${joins.join(' ')}`;
    // Without this, PostgreSQL may look at every object instead.
    return rows([`o.id IN (WITH found AS MATERIALIZED (${found}) SELECT object_id FROM found)`, ...this.#conditions]);
  }

  /** For terms that nearly all objects have: walks through the newest of the caller's own objects before `before`, a placeholder. Rows of `id` and `seq`
   * have all terms; one without `id` has the `seq` of the last object that was looked at, and their number as `n`. */
  sqlOfWalk(before: string, most: number): string {
    const probes = this.#probes(this.#termSql());
    return `${this.#looked(before, most)}
      SELECT o.id, o.seq, 0 AS n FROM looked o WHERE ${probes.join(' AND ')} UNION ALL SELECT NULL, MIN(seq), COUNT(*) FROM looked`;
  }

  /** The same, counted: one row of `found`, and of `seq` and `n` of all that were looked at. */
  sqlOfCount(before: string, most: number): string {
    const probes = this.#probes(this.#termSql());
    return `${this.#looked(before, most)}
      SELECT (SELECT COUNT(*) FROM looked o WHERE ${probes.join(' AND ')}) AS found, MIN(seq) AS seq, COUNT(*) AS n FROM looked`;
  }

  #looked(before: string, most: number): string {
    return `WITH looked AS MATERIALIZED (${this.sqlOfPlaces('o.id, o.seq, o.owner')} AND o.seq < ${before} ORDER BY o.seq DESC LIMIT ${most})`;
  }

  /** The caller's own rows without regard to terms. @param columns of those that the index `kms_object_place` has, so that it alone is read */
  sqlOfPlaces(columns = 'o.seq'): string {
    return rows([`o.owner IN (${this.#owners})`, ...this.#conditions], columns);
  }

  #termSql(): string[] {
    return this.#terms.map(({ tag, value }) => `a.tag = ${this.param(tag)} AND a.value = ${this.param(value)}`);
  }

  #withTerm(term: string, owners: string | undefined): string {
    return `SELECT a.object_id FROM kms_attribute a WHERE ${term}${owners === undefined ? '' : ` AND a.owner IN (${owners})`}`;
  }

  /** Looks for each term at each row: a planner that knows no values could else go through all objects that have the term. */
  #probes(terms: readonly (string | undefined)[]): string[] {
    return terms.flatMap((term) =>
      term === undefined ? [] : [`(SELECT 1 FROM kms_attribute a WHERE a.object_id = o.id AND a.owner = o.owner AND ${term} LIMIT 1) IS NOT NULL`],
    );
  }

  #granted(): string[] {
    return [`o.id IN (${this.#grantees.map(grantedToSql).join(' UNION ')})`, `o.owner NOT IN (${this.#owners})`];
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

function rows(conditions: readonly string[], columns = 'o.id, o.seq, o.owner, length(o.attributes) AS bytes'): string {
  return `SELECT ${columns} FROM kms_object o WHERE ${conditions.join(' AND ')}`;
}
