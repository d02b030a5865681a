// Cuts texts between characters: one outside the basic plane is a pair of UTF-16 units.

/** Whether a cut here would part the two halves of one character. */
export function isWithinPair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}

/** @returns where a cut at most here parts no character */
export function cutBefore(text: string, most: number): number {
  return isWithinPair(text, most) ? most - 1 : most;
}
