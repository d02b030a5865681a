// What the audit log stores of a text: so much of it, and nothing that a terminal, a database or a reader takes for something else.
import type { AuditEvent } from './audit.ts';

/** Characters. What is stored of a longer one is its beginning and how long it was. */
export const MAX_TEXT: Readonly<Record<Exclude<keyof AuditEvent, 'outcome'>, number>> = {
  event: 128,
  realm: 64,
  actor: 1_024,
  scheme: 32,
  source: 64,
  target: 1_024,
  reason: 1_024,
};

/** Control characters, ends of lines and paragraphs, and what turns the direction of writing. Joiners belong to names of some languages. */
const UNFIT = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

export function auditText(text: string | undefined, member: keyof typeof MAX_TEXT): string | null {
  if (text === undefined) return null;
  const most = MAX_TEXT[member];
  const cut = text.length > most ? `${text.slice(0, most)}…[${text.length}]` : text;
  return cut.toWellFormed().replace(UNFIT, '\ufffd');
}
