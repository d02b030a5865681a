// The bytes that tell where the parts of a JSON text begin and end (RFC 8259 section 2).

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const [OPEN_ARRAY, CLOSE_ARRAY] = [0x5b, 0x5d];
export const [OPEN_OBJECT, CLOSE_OBJECT] = [0x7b, 0x7d];
