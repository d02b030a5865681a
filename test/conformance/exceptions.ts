// The cases of others' suites that this server does not pass on purpose, each with the section that says why.
import { parse } from 'smol-toml';

type Suite = 'oasis' | 'vectors';

export interface Exception {
  /** Name of the case or scenario as its runner prints it. */
  readonly name: string;
  readonly reason: string;
}

/** What every reason has to cite: the specification of the protocol, or a decision of this project. */
const CITATION = /\b(?:section|KMIP|decisions)\b/i;

/**
 * @param toml tables `[[oasis]]` with `case` and `reason`, `[[vectors]]` with `scenario` and `reason`
 * @throws Error for an exception without a name, twice the same, or without a reason that cites something
 */
export function readExceptions(toml: string): Readonly<Record<Suite, readonly Exception[]>> {
  const document = parse(toml);
  const strange = Object.keys(document).filter((key) => key !== 'oasis' && key !== 'vectors');
  if (strange.length > 0) throw new Error(`unknown tables of exceptions: ${strange.join(', ')}`);
  return { oasis: read(document['oasis'], 'case'), vectors: read(document['vectors'], 'scenario') };
}

function read(tables: unknown, key: 'case' | 'scenario'): Exception[] {
  if (tables === undefined) return [];
  if (!Array.isArray(tables)) throw new Error(`exceptions are written as an array of tables with ${key} and reason`);
  const seen = new Set<string>();
  return tables.map((table: unknown) => {
    const { [key]: name, reason } = table as Readonly<Record<string, unknown>>;
    if (typeof name !== 'string' || name === '') throw new Error(`an exception has no ${key}`);
    if (seen.has(name)) throw new Error(`the exception ${name} is there twice`);
    seen.add(name);
    if (typeof reason !== 'string' || !CITATION.test(reason))
      throw new Error(`the exception ${name} has no reason that cites a section of KMIP or of decisions`);
    return { name, reason };
  });
}
