// Reads one cookie of a request, when somebody asks for it: most requests need one or none.

/** @param header the Cookie header of the request @returns the value of the first cookie of this name (RFC 6265 section 5.4), decoded if it has percent signs */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined;
  for (let from = 0; from < header.length; ) {
    const semicolon = header.indexOf(';', from);
    const to = semicolon < 0 ? header.length : semicolon;
    const equals = header.indexOf('=', from);
    if (equals < 0) return undefined;
    if (equals < to && header.slice(from, equals).trim() === name) return decode(header.slice(equals + 1, to).trim());
    from = to + 1;
  }
  return undefined;
}

function decode(value: string): string {
  if (!value.includes('%')) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
