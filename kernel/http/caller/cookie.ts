// Reads one cookie of a request, when somebody asks for it: most requests need one or none.

/**
 * @param header the Cookie header of the request
 * @returns the value of the cookie of this name, decoded if it has percent signs; null if there are two that differ: another server of the same domain can
 *   set one that comes first (RFC 6265 section 8.6), and nothing tells whose is whose
 */
export function cookieIn(header: string | undefined, name: string): string | undefined | null {
  if (header === undefined) return undefined;
  let found: string | undefined;
  for (let from = 0; from < header.length; ) {
    const semicolon = header.indexOf(';', from);
    const to = semicolon < 0 ? header.length : semicolon;
    const equals = header.indexOf('=', from);
    if (equals < 0) return found;
    if (equals < to && header.slice(from, equals).trim() === name) {
      const value = decode(header.slice(equals + 1, to).trim());
      if (found !== undefined && found !== value) return null;
      found = value;
    }
    from = to + 1;
  }
  return found;
}

function decode(value: string): string {
  if (!value.includes('%')) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
