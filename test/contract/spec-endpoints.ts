// Reads the endpoints out of a specification in Markdown: rows of its tables, and bold headings with what follows them.

export interface Endpoint {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly query?: string;
  /** The statuses that the row or the paragraph names. */
  readonly statuses: readonly number[];
}

const HEADING = /^\*\*(GET|POST|PUT|DELETE) ([^\s*]+)\*\*(.*)$/;
const ROW = /^\| (GET|POST|PUT|DELETE)(?: \(also (GET|POST|PUT|DELETE)\))? \| ([^\s|]+) \|(?:.*\|)?([^|]+)\|\s*$/;
/** A section may name one query parameter for all of its rows. */
const SECTION = /^### .*?(?:\(query parameter `([^`]+)`\))?$/;

export function specEndpoints(markdown: string): Endpoint[] {
  const found: Endpoint[] = [];
  let common: string | undefined;
  for (const block of part(markdown, 'Endpoints').split(/\n(?=\*\*|\||###)/)) {
    const line = block.split('\n')[0] as string;
    const heading = HEADING.exec(line);
    const row = ROW.exec(line);
    if (line.startsWith('### ')) common = SECTION.exec(line)?.[1];
    if (heading) found.push(endpoint(heading[1] as string, heading[2] as string, undefined, block));
    if (row) for (const method of [row[1], row[2]]) if (method) found.push(endpoint(method, row[3] as string, common, row[4] as string));
  }
  return found;
}

/** The codes of the table in the Errors part. */
export function specErrorCodes(markdown: string): number[] {
  return [...part(markdown, 'Errors').matchAll(/^\| (\d{3}) \|/gm)].map((match) => Number(match[1]));
}

function part(markdown: string, title: string): string {
  const [, after = ''] = markdown.split(`\n## ${title}\n`);
  return after.split('\n## ')[0] as string;
}

function endpoint(method: string, address: string, common: string | undefined, text: string): Endpoint {
  const [path, own] = address.split('?') as [string, string | undefined];
  const query = own ?? common;
  const statuses = [...new Set([...text.matchAll(/\b([1-5]\d\d)\b/g)].map((match) => Number(match[1])))].sort();
  return { method, path, ...(query === undefined ? {} : { query }), statuses };
}
