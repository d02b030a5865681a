// Reads JSON that others have written.

/** @returns undefined for what is not JSON, so that the caller says what it should have been */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
