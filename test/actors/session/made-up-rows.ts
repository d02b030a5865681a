// Rows of sessions for the tests of the cache, with claims of every shape.
import type { Reader } from '../../../kernel/store/store.ts';

export const claims = (extraClaims: object, roles: readonly string[] = []) => JSON.stringify({ jti: 'x'.repeat(36), roles, extraClaims });
export const many = <T>(length: number, make: (at: number) => T) => Array.from({ length }, (_, at) => make(at));
/** Claims that take much memory for their text, and others. */
export const SHAPES: Readonly<Record<string, (at: number) => string>> = {
  'no claims': () => claims({}),
  'empty objects': () => claims({ a: many(1_300, () => ({})) }),
  'empty arrays': () => claims({ a: many(1_300, () => []) }),
  'nested arrays': () => `{"jti":"x","roles":[],"extraClaims":{"a":${'['.repeat(1_500)}${']'.repeat(1_500)}}}`,
  'nested objects': () => `{"jti":"x","roles":[],"extraClaims":${'{"a":'.repeat(600)}1${'}'.repeat(600)}}`,
  'short names': (at) => claims(Object.fromEntries(many(300, (n) => [`${at}_${n}`, {}]))),
  fractions: (at) => claims({ a: many(800, (n) => at + n + 0.5) }),
  'short roles': (at) =>
    claims(
      {},
      many(600, (n) => `${at}-${n}`),
    ),
  'text of two bytes': (at) => claims({ a: `${at}\u0416`.repeat(600) }),
};

export const idOf = (at: number) => `00000000-0000-8000-8000-${String(at).padStart(12, '0')}`;

/** A store with one row, whatever is asked for. */
export const reader = (text: string): Reader => ({
  get: async <T extends object>(_sql: string, [id] = [] as readonly unknown[]) =>
    ({
      ...{ id, cookie_hash: new Uint8Array(32), realm: 'r', username: 'ann', account: 'r/a1', realm_account: 'r', scheme: 'up', created_at: 0, seen_at: 0 },
      ...{ max_age_seconds: 1, max_stale_age_seconds: 1, claims: text },
    }) as unknown as T,
  all: async () => [],
});
