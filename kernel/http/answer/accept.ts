// Chooses the content type that a client prefers, from its Accept header (RFC 9110 section 12.5.1).

const ANY = '*/*';
/** Further ranges are ignored: no real client sends so many. */
const MAX_RANGES = 32;

/** @returns the preferred one of `types`; the first if the header is absent, names none of them, or prefers none */
export function preferred<T extends string>(accept: string | undefined, types: readonly [T, ...T[]]): T {
  if (accept === undefined) return types[0];
  const qualities = qualitiesIn(accept);
  return types.reduce((best, type) => (qualityOf(type, qualities) > qualityOf(best, qualities) ? type : best));
}

/** @returns whether the header names the type, and prefers none of the others to it */
export function isAskedFor(accept: string, type: string, others: readonly string[]): boolean {
  const qualities = qualitiesIn(accept);
  const own = qualities.get(type) ?? 0;
  return own > 0 && others.every((other) => qualityOf(other, qualities) <= own);
}

/** The most specific range that matches the type decides. */
function qualityOf(type: string, qualities: ReadonlyMap<string, number>): number {
  return qualities.get(type) ?? qualities.get(`${type.split('/', 1)[0]}/*`) ?? qualities.get(ANY) ?? 0;
}

function qualitiesIn(accept: string): ReadonlyMap<string, number> {
  const qualities = new Map<string, number>();
  for (const range of accept.split(',', MAX_RANGES)) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((each) => each.startsWith('q='))?.slice(2);
    const quality = weight === undefined ? 1 : Number(weight);
    if (type !== '') qualities.set(type, Math.max(qualities.get(type) ?? 0, quality >= 0 && quality <= 1 ? quality : 0));
  }
  return qualities;
}
