// An answer as text: JSON indented with every digit kept, other text unchanged, bytes in hexadecimal.
const MOST_CHARACTERS = 200_000;
const MOST_BYTES = 4_096;
const ROW = 16;

/** @returns {string} the body to show, shortened if it is long */
export function bodyText(type, bytes) {
  if (bytes.length === 0) return '';
  const text = /^text\/|json\b|xml\b|yaml\b|jwt\b|pem\b/.test(type) ? decoded(bytes) : undefined;
  if (text === undefined) return shortened(hexOf(bytes.subarray(0, MOST_BYTES)), bytes.length - MOST_BYTES, 'bytes');
  const shown = /json\b/.test(type) ? indented(text) : text;
  return shortened(shown.slice(0, MOST_CHARACTERS), shown.length - MOST_CHARACTERS, 'characters');
}

function shortened(text, more, unit) {
  return more > 0 ? `${text}\n... and ${more} more ${unit}` : text;
}

function decoded(bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Keeps every number as it came: parsing and serializing the JSON would round long numbers. */
function indented(text) {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/g) ?? [];
  let depth = 0;
  const written = tokens.map((token, index) => {
    const isEmpty = /[[{]/.test(tokens[index - 1] ?? '') && tokens[index - 1].length === 1;
    if (token === '{' || token === '[') {
      depth += 1;
      return /^[\]}]$/.test(tokens[index + 1] ?? '') ? token : `${token}\n${'  '.repeat(depth)}`;
    }
    if (token === '}' || token === ']') {
      depth -= 1;
      return isEmpty ? token : `\n${'  '.repeat(depth)}${token}`;
    }
    if (token === ',') return `,\n${'  '.repeat(depth)}`;
    return token === ':' ? ': ' : token;
  });
  return written.join('');
}

function hexOf(bytes) {
  const rows = [];
  for (let at = 0; at < bytes.length; at += ROW) {
    const row = Array.from(bytes.subarray(at, at + ROW));
    const hex = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const text = row.map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : '.')).join('');
    rows.push(`${at.toString(16).padStart(6, '0')}  ${hex.padEnd(ROW * 3 - 1)}  ${text}`);
  }
  return rows.join('\n');
}
