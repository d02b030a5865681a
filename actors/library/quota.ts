// The quotas of documentary bases. The words of every base that is searched are in the memory of one thread, which a base without end would exhaust for all.
import { Fault } from '../../kernel/fault.ts';
import type { Reader } from '../../kernel/store/store.ts';
import { overQuota } from '../../kernel/store/usage.ts';

/** Highest numbers, with the names of the configuration; 0: unlimited. */
export interface LibraryQuotas {
  /** That were created on request. */
  readonly bases: number;
  readonly references_per_base: number;
  readonly passages_per_base: number;
}

const OF_BASE = {
  references_per_base: 'SELECT COUNT(*) AS amount FROM ai_reference WHERE base = $1',
  passages_per_base: 'SELECT COUNT(*) AS amount FROM ai_passage WHERE reference_id IN (SELECT id FROM ai_reference WHERE base = $1)',
} as const;
const NAMES = ['references_per_base', 'passages_per_base'] as const;

/** What a base holds, as far as quotas limit it. */
export type Holding = Readonly<Record<keyof typeof OF_BASE, number>>;

export async function holdingOf(from: Reader, quotas: LibraryQuotas, base: string): Promise<Holding> {
  const [references, passages] = await Promise.all(NAMES.map((name) => (quotas[name] === 0 ? 0 : amount(from, OF_BASE[name], [base]))));
  return { references_per_base: references as number, passages_per_base: passages as number };
}

/** What is there stays, and can be replaced by less, even above the quota. @throws Fault AI_QUOTA_EXCEEDED if a base holds more than before, and too much */
export function requireQuota(quotas: LibraryQuotas, base: string, now: Holding, before: Holding): void {
  for (const name of NAMES) if (now[name] > before[name]) requireAtMost(quotas, name, now[name], base);
}

/** Before a file is read. @param isThere whether the reference is replaced @throws Fault AI_QUOTA_EXCEEDED if there is no room for one more */
export async function requireRoom(from: Reader, quotas: LibraryQuotas, base: string, isThere: boolean): Promise<void> {
  if (isThere) return;
  const held = await holdingOf(from, quotas, base);
  for (const name of NAMES) requireAtMost(quotas, name, held[name] + 1, base);
}

/** @param more that are to come @throws Fault AI_QUOTA_EXCEEDED */
export async function requireBases(from: Reader, quotas: LibraryQuotas, more: number): Promise<void> {
  if (quotas.bases > 0) requireAtMost(quotas, 'bases', (await amount(from, 'SELECT COUNT(*) AS amount FROM ai_base WHERE on_request = 1', [])) + more, 'all');
}

function requireAtMost(quotas: LibraryQuotas, key: keyof LibraryQuotas, held: number, scope: string): void {
  const quota = { name: `[ai.quotas] ${key}`, most: quotas[key] };
  if (quota.most > 0 && held > quota.most) throw new Fault('AI_QUOTA_EXCEEDED', { detail: overQuota(quota, scope) });
}

async function amount(from: Reader, sql: string, params: readonly string[]): Promise<number> {
  return (await from.get<{ amount: number }>(sql, params))?.amount ?? 0;
}
