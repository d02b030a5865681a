// The row of an app token: how it is read, and what it says of the token at a moment.
import type { Reader } from '../../kernel/store/store.ts';
import type { TokenKind, TokenView } from './api.ts';
import { admits, type Bounds } from './bounds.ts';
import { hasElapsed, type TokenLife } from './token.machine.ts';

export interface TokenRow {
  readonly accessor: string;
  readonly kind: TokenKind;
  readonly role: string;
  readonly entity: string;
  readonly account: string;
  readonly policies: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly lease_seconds: number;
  readonly max_expires_at: number;
  readonly renewable: number;
  readonly bounds: string;
  /** 0: unlimited. */
  readonly uses_left: number;
}

const COLUMNS = 'accessor, kind, role, entity, account, policies, created_at, expires_at, lease_seconds, max_expires_at, renewable, bounds, uses_left';
const SELECT = `SELECT ${COLUMNS} FROM app_token WHERE digest = $1`;

export function readTokenRow(store: Reader, digest: string): Promise<TokenRow | undefined> {
  return store.get<TokenRow>(SELECT, [digest]);
}

/** The row of a token that a client with the address `source` may use. */
export async function readUsableRow(store: Reader, digest: string, source: string): Promise<TokenRow | undefined> {
  const row = await readTokenRow(store, digest);
  return row && admits(boundsIn(row), source) ? row : undefined;
}

/** @returns null for a token that has expired or is bound to other addresses than `source` */
export function viewToken(row: TokenRow, source: string, now: number): TokenView | null {
  const life = lifeOf(row);
  const view = hasElapsed(life, now) ? null : viewOf(row, life, now);
  return view && admits(view.bounds, source) ? view : null;
}

export function lifeOf(row: TokenRow): TokenLife {
  const { expires_at: expiresAt, lease_seconds: leaseSeconds, max_expires_at: maxExpiresAt, uses_left: usesLeft } = row;
  return { expiresAt, leaseSeconds, maxExpiresAt, renewable: row.renewable === 1, usesLeft };
}

function boundsIn({ bounds }: TokenRow): Bounds {
  return JSON.parse(bounds) as Bounds;
}

export function viewOf(row: TokenRow, life: TokenLife, now: number): TokenView {
  const { accessor, kind, role, entity, account, created_at: createdAt } = row;
  const policies = JSON.parse(row.policies) as string[];
  return { kind, accessor, role, entity, account, policies, createdAt, ...leaseOf(life, createdAt, now), bounds: boundsIn(row), usesLeft: life.usesLeft };
}

export function leaseOf(
  life: TokenLife,
  createdAt: number,
  now: number,
): Pick<TokenView, 'ttlSeconds' | 'expiresAt' | 'leaseSeconds' | 'maxTtlSeconds' | 'renewable'> {
  const { expiresAt, leaseSeconds, maxExpiresAt, renewable } = life;
  const maxTtlSeconds = maxExpiresAt === 0 ? 0 : (maxExpiresAt - createdAt) / 1000;
  return { ttlSeconds: secondsLeft(life, now), expiresAt, leaseSeconds, maxTtlSeconds, renewable };
}

/** Rounds up, because 0 means that the token does not expire. */
function secondsLeft({ expiresAt }: TokenLife, now: number): number {
  return expiresAt === 0 ? 0 : Math.ceil((expiresAt - now) / 1000);
}
