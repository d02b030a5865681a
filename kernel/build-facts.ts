// Facts about the build that runs: what it was made from, as its package says, and what it runs on.
import { readFileSync } from 'node:fs';

/** What a package says about itself, in build.json. */
export interface BuildFacts {
  readonly package: 'npm' | 'debian' | 'oci' | 'clone';
  /** Of git; null if it is not known. */
  readonly commit: string | null;
  /** Files differed from the commit. */
  readonly changed: boolean;
  /** Of the commit, in ISO 8601; null if it is not known. */
  readonly source_time: string | null;
}

const CLONE: BuildFacts = { package: 'clone', commit: null, changed: false, source_time: null };

/** A clone has no such file. */
export function readBuildFacts(file = new URL('../build.json', import.meta.url)): BuildFacts {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as BuildFacts;
  } catch {
    return CLONE;
  }
}
