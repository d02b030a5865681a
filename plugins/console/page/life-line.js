// The life of a key as a line of time: what has happened, and what dates will do.
import { html } from '/console/lib/lit-html.js';
import { moment } from './shown.js';

const EVENTS = /** @type {const} */ ([
  ['InitialDate', 'Made', 'Made'],
  ['ActivationDate', 'Active', 'Becomes active'],
  ['RotateDate', 'Rotated', 'Is rotated'],
  ['ProtectStopDate', 'Stopped protecting', 'Stops protecting'],
  ['DeactivationDate', 'Deactivated', 'Is deactivated'],
  ['CompromiseOccurrenceDate', 'Compromised', 'Is compromised'],
  ['CompromiseDate', 'Compromise reported', 'Is reported compromised'],
  ['ArchiveDate', 'Archived', 'Is archived'],
  ['DestroyDate', 'Destroyed', 'Is destroyed'],
]);

/** @param {import('./managed-object.js').ManagedObject} object */
export function lifeLine({ dates }) {
  const now = Date.now();
  const events = EVENTS.flatMap(([tag, past, future]) => {
    const time = Date.parse(dates[tag] ?? '');
    return Number.isNaN(time) ? [] : [{ time, words: time <= now ? past : future, look: time <= now ? 'past' : 'future' }];
  });
  // A key can be active from a moment before it was made, which nobody reads first.
  const made = Date.parse(dates['InitialDate'] ?? '') || 0;
  const withNow = [...events, { time: now, words: 'Now', look: 'now' }].toSorted((a, b) => Math.max(a.time, made) - Math.max(b.time, made));
  return html`<ol class="life">
    ${withNow.map(({ time, words, look }) => html`<li class=${look}><strong>${words}</strong>${look === 'now' ? '' : moment(time)}</li>`)}
  </ol>`;
}
