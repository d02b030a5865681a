// Builds a request from the entries of the form, and the same request as a curl command.

/**
 * @param {{ method: string, path: string }} operation
 * @param {{ path: Record<string, string>, query: Record<string, string>, header: Record<string, string>, more: string, type: string | undefined, body: string }} entered
 *   empty query parameters and headers are left out; `more` holds further headers, one per line; `type` is undefined if no body is sent
 * @throws {Error} that says what cannot be sent
 */
export function requestOf({ method, path }, entered) {
  const url = path.replaceAll(/\{([^}]+)\}/g, (_match, name) => segment(name, entered.path[name] ?? ''));
  const query = new URLSearchParams(Object.entries(entered.query).filter(([, value]) => value !== '')).toString();
  const headers = [...Object.entries(entered.header).filter(([, value]) => value !== ''), ...linesOf(entered.more)];
  if (entered.type !== undefined && !headers.some(([name]) => name.toLowerCase() === 'content-type')) headers.push(['Content-Type', entered.type]);
  const body = entered.type === undefined ? undefined : isBinary(entered.type) ? bytesOf(entered.body) : entered.body;
  return { method: method.toUpperCase(), url: query ? `${url}?${query}` : url, headers, body };
}

/** A browser resolves `.` and `..` as steps in the path, even if they are escaped. */
function segment(name, value) {
  if (value === '' || value === '.' || value === '..') throw new Error(`${name} cannot be ${value === '' ? 'empty' : value} in a path`);
  return encodeURIComponent(value);
}

function linesOf(text) {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const colon = line.indexOf(':');
    if (colon < 1) throw new Error(`${line} is not a header: write name: value`);
    return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
  });
}

/** A body that is neither JSON nor text is entered in hexadecimal digits. */
export function isBinary(type) {
  return !/^text\/|json\b|xml\b|yaml\b|x-www-form-urlencoded\b/.test(type);
}

function bytesOf(hex) {
  const digits = hex.replaceAll(/\s/g, '');
  if (!/^([0-9a-f]{2})*$/i.test(digits)) throw new Error('the body must be in pairs of hexadecimal digits');
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** @param {string} origin of the server; the session is in the cookie jar that a login with `curl -c jar` fills */
export function curlOf({ method, url, headers, body }, origin) {
  const own = headers.some(([name]) => ['authorization', 'x-app-token'].includes(name.toLowerCase()));
  const words = ['curl', ...(own ? [] : ['-b', 'jar']), '-X', method, ...headers.flatMap(([name, value]) => ['-H', quoted(`${name}: ${value}`)])];
  const binary = body instanceof Uint8Array;
  if (body !== undefined) words.push(...(binary ? ['--data-binary', '@-'] : ['--data-raw', quoted(body)]));
  const command = [...words, quoted(`${origin}${url}`)].join(' ');
  if (!binary) return command;
  const hex = Array.from(body, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `printf '%s' ${quoted(hex)} | xxd -r -p | ${command}`;
}

/** For a POSIX shell. */
function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
