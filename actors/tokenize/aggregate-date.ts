// The method aggregate-date: a date cut off below a unit of time, in its own offset.
import { type LocalDate, MAX_DATE, printDate, readDate } from './dates.ts';
import type { Members } from './members.ts';

const UNITS = ['Second', 'Minute', 'Hour', 'Day', 'Month', 'Year'] as const;
/** What each unit sets to its start; a larger one also does all that stands before it. */
const STARTS: readonly Partial<LocalDate>[] = [{ fraction: '000000000' }, { second: 0 }, { minute: 0 }, { hour: 0 }, { day: 1 }, { month: 1 }];

export function aggregateDate(members: Members): string {
  const date = readDate(members.text('data', MAX_DATE));
  const unit = UNITS.indexOf(members.oneOf('time_unit', UNITS));
  const cut: LocalDate = Object.assign({}, date, ...STARTS.slice(0, unit + 1));
  return JSON.stringify(printDate(cut));
}
