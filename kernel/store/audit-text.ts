// Cuts texts for the audit log to a maximum length and replaces characters that a terminal or a database would interpret.
import type { AuditEvent } from './audit.ts';

/** In characters. Of a longer text the beginning and the original length are stored. */
const MAX_TEXT: Readonly<Record<Exclude<keyof AuditEvent, 'outcome'>, number>> = {
  event: 128,
  realm: 64,
  actor: 1_024,
  scheme: 32,
  source: 64,
  target: 1_024,
  reason: 1_024,
};

/** Control characters, line and paragraph separators, and characters that change the writing direction. Joiners stay, because names in some languages need them. */
const UNFIT = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

export function auditText(text: string | undefined, member: keyof typeof MAX_TEXT): string | null {
  if (text === undefined) return null;
  const most = MAX_TEXT[member];
  const cut = text.length > most ? `${text.slice(0, most)}…[${text.length}]` : text;
  return cut.toWellFormed().replace(UNFIT, '\ufffd');
}
