// The quotas of documentary bases. The words of every base that is searched are in the memory of one thread, which a base without end would exhaust for all.
import { Fault } from '../../kernel/fault.ts';
import type { Reader } from '../../kernel/store/store.ts';
import { overQuota } from '../../kernel/store/usage.ts';
import { hasReference } from './rows.ts';

/** Highest numbers, with the names of the configuration; 0: unlimited. */
export interface LibraryQuotas {
  /** That were created on request. */
  readonly bases: number;
  readonly references_per_base: number;
  readonly passages_per_base: number;
}

/** Of a base, without one reference. */
const OTHERS = {
  references_per_base: 'SELECT COUNT(*) AS amount FROM ai_reference WHERE base = $1 AND name <> $2',
  passages_per_base: 'SELECT COUNT(*) AS amount FROM ai_passage WHERE reference_id IN (SELECT id FROM ai_reference WHERE base = $1 AND name <> $2)',
} as const;
const NAMES = ['references_per_base', 'passages_per_base'] as const;

/** What a base holds, as far as quotas limit it. */
export type Holding = Readonly<Record<keyof typeof OTHERS, number>>;

/** @returns what the base holds beside a reference of this name: that may come and go meanwhile */
export async function othersOf(from: Reader, quotas: LibraryQuotas, base: string, name: string): Promise<Holding> {
  const [references, passages] = await Promise.all(NAMES.map((key) => (quotas[key] === 0 ? 0 : amount(from, OTHERS[key], [base, name]))));
  return { references_per_base: references as number, passages_per_base: passages as number };
}

/**
 * What is there stays, and can be replaced by less, even above the quota.
 * @param now passages of the reference that is added @param before those of the one that it replaces
 * @throws Fault AI_QUOTA_EXCEEDED if the base would hold more than before, and too much
 */
export function requireQuota(quotas: LibraryQuotas, base: string, others: Holding, now: number, before: number | undefined): void {
  if (before === undefined) requireAtMost(quotas, 'references_per_base', others.references_per_base + 1, base);
  if (now > (before ?? 0)) requireAtMost(quotas, 'passages_per_base', others.passages_per_base + now, base);
}

/** Before a file is read: a reference that is there can be replaced, others need room for one more. @throws Fault AI_QUOTA_EXCEEDED */
export async function requireRoom(from: Reader, quotas: LibraryQuotas, base: string, name: string): Promise<void> {
  if (await hasReference(from, base, name)) return;
  const others = await othersOf(from, quotas, base, name);
  for (const key of NAMES) requireAtMost(quotas, key, others[key] + 1, base);
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
