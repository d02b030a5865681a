// Names of tags, and the way names are compared: without case and separators.
import { TAG } from './tag.ts';

const BY_TAG: ReadonlyMap<number, string> = new Map(Object.entries(TAG).map(([name, tag]) => [tag, name]));

/** The name of a tag, or its number in hexadecimal where the tables have none. */
export function tagName(tag: number): string {
  return BY_TAG.get(tag) ?? `0x${tag.toString(16).toUpperCase().padStart(6, '0')}`;
}

/** What is equal of two spellings of one name: `SHA-256`, `sha_256`, `SHA256`. */
export function folded(name: string): string {
  return name.replaceAll(/[ _\-./]/g, '').toLowerCase();
}
