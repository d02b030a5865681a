// Finds numbers in a body that are others once they are read: JSON has numbers of any length, and JavaScript those of IEEE 754 (RFC 7493 section 2.2).

/** Without such a number outside of a text nothing is lost: fifteen digits are exact, and only an exponent makes less of them infinite. */
const SUSPECT = /[:,[\s]-?(?:\d{16}|\d[\d.]*[eE])/;
const WHOLE = /^-?\d+$/;

interface Place {
  readonly holder: object;
  readonly name: string;
}

/**
 * Fractions are rounded everywhere, and nobody counts on their last digits. A whole number is often the name of something, and its neighbour that of another.
 * @param json a text that JSON.parse takes
 * @returns the path of a number that becomes infinite, or of a whole one that becomes another, as a JSON pointer (RFC 6901); undefined if there is none
 */
export function lostNumber(json: string): string | undefined {
  if (!SUSPECT.test(json)) return undefined;
  let lost: Place | undefined;
  const note = function (this: object, name: string, value: unknown, context?: { readonly source?: string }): unknown {
    if (typeof value === 'number' && isLost(value, context?.source ?? '')) lost ??= { holder: this, name };
    return value;
  };
  const read: unknown = JSON.parse(json, note);
  return lost && pathTo(lost, read);
}

/** Infinity is caught first, so that the text has a few hundred digits at most. */
function isLost(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return true;
  if (!WHOLE.test(source) || Number.isSafeInteger(value)) return false;
  return String(value) !== source && BigInt(source) !== BigInt(value);
}

/** Bodies are checked for depth before, so it cannot overflow the stack. */
function pathTo(place: Place, from: unknown): string | undefined {
  if (typeof from !== 'object' || from === null) return undefined;
  if (from === place.holder) return `/${escaped(place.name)}`;
  for (const [name, each] of Object.entries(from)) {
    const path = pathTo(place, each);
    if (path !== undefined) return `/${escaped(name)}${path}`;
  }
  return undefined;
}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
