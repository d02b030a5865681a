// Removes secrets from log fields, by the names of their keys.

const SECRET = /passw|secret|pin$|token|cookie|authorization|private|root_key|key_material|credential$|passphrase|phc|hash$/i;
/** Names that match although they are not secrets. */
const PUBLIC = /^(secret_id_accessor|token_type|tokens?_(generated|total))$/i;
const DEPTH = 6;

/** @returns a copy of `fields` in which values with the name of a secret are `[redacted]`; bytes are never printed */
export function redact(fields: unknown, depth = 0): unknown {
  if (typeof fields !== 'object' || fields === null) return fields;
  if (ArrayBuffer.isView(fields)) return `[${fields.byteLength} bytes]`;
  if (fields instanceof Error) return fields.stack ?? fields.message;
  if (depth >= DEPTH) return '[deeper]';
  if (Array.isArray(fields)) return fields.map((item) => redact(item, depth + 1));
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, SECRET.test(key) && !PUBLIC.test(key) ? '[redacted]' : redact(value, depth + 1)]),
  );
}
