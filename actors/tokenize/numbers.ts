// The methods aggregate-number and scale-number: rounding to a power of ten, and scaling around a mean.
import { Exact, floatText, integerText, Quotient, unsignedZero } from './decimal.ts';
import type { Members } from './members.ts';
import { refuse } from './refuse.ts';

const MAX_POWER = 308;

/** Prints a decimal without an exponent; a float gets exactly the requested number of decimal places. */
export function aggregateNumber(members: Members): string {
  const type = members.oneOf('data_type', ['float', 'integer']);
  const data = type === 'float' ? members.decimal('data') : members.integer('data');
  const power = Number(members.integer('power_of_ten'));
  if (Math.abs(power) > MAX_POWER) refuse(`power_of_ten: must be between -${MAX_POWER} and ${MAX_POWER}`);
  return JSON.stringify(power >= 0 ? toPower(data, power) : unsignedZero(new Exact(data).toFixed(type === 'float' ? -power : 0)));
}

function toPower(data: string, power: number): string {
  const count = unsignedZero(new Exact(data).times(`1e-${power}`).toFixed(0));
  return count === '0' ? count : count + '0'.repeat(power);
}

export function scaleNumber(members: Members): string {
  const type = members.oneOf('data_type', ['float', 'integer']);
  const data = type === 'float' ? members.decimal('data') : members.integer('data');
  if (members.number('std_deviation') === 0) refuse('std_deviation: must not be 0');
  // Multiply first: everything before the single division is exact, so a tie stays a tie.
  const product = new Exact(data).minus(members.decimal('mean')).times(members.decimal('scale'));
  const result = new Exact(new Quotient(product).div(members.decimal('std_deviation'))).plus(members.decimal('translate'));
  return type === 'float' ? floatText(result.toNumber()) : integerText(result);
}
