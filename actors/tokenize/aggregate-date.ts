// The method aggregate-date: truncates a date to a unit of time, in the date's own offset.
import { type LocalDate, MAX_DATE, printDate, readDate } from './dates.ts';
import type { Members } from './members.ts';

const UNITS = ['Second', 'Minute', 'Hour', 'Day', 'Month', 'Year'] as const;
/** The parts that each unit sets to their start; a larger unit also sets those of all smaller ones. */
const STARTS: readonly Partial<LocalDate>[] = [{ fraction: '000000000' }, { second: 0 }, { minute: 0 }, { hour: 0 }, { day: 1 }, { month: 1 }];

export function aggregateDate(members: Members): string {
  const date = readDate(members.text('data', MAX_DATE));
  const unit = UNITS.indexOf(members.oneOf('time_unit', UNITS));
  const cut: LocalDate = Object.assign({}, date, ...STARTS.slice(0, unit + 1));
  return JSON.stringify(printDate(cut));
}
