// Lists in answers: the whole list if it is not too long, or a page of it with the address of the next page in the header Link (RFC 8288).
import { Fault } from '../../kernel/fault.ts';
import { giveBack } from '../../kernel/give-back.ts';
import type { Request, Response } from '../../kernel/http/route.ts';
import { composed, MAX_NAME_CHARACTERS } from '../../kernel/normal-form.ts';
import type { EncodedPage } from '../../kernel/runtime/channel/encoded-page.ts';
import type { PageRequest } from '../../kernel/store/page.ts';
import Type from '../../kernel/type.ts';
import { Query } from './parameters.ts';

/** Limits of a list in one answer. A longer list must be read page by page, so that no answer is silently incomplete. */
const MAX_ENTRIES = 10_000;
const MAX_BYTES = 4_194_304;
const MAX_PAGE_ENTRIES = 1_000;
const MAX_CURSOR = 4_096;

export const PAGE_MEMBERS = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE_ENTRIES,
      description: `maximum number of entries in a page; without it the answer is the whole list, of at most ${MAX_ENTRIES} entries`,
    }),
  ),
  after: Type.Optional(
    Type.String({ maxLength: MAX_CURSOR, pattern: '^[A-Za-z0-9_-]*$', description: 'start of the page, from the header Link of the previous page' }),
  ),
};
export const PAGE_QUERY = Query(PAGE_MEMBERS);
/** Of a list in the order of names. */
export const NAME_QUERY = Query({
  ...PAGE_MEMBERS,
  prefix: Type.Optional(
    Type.String({
      maxLength: MAX_NAME_CHARACTERS,
      format: 'name',
      pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
      description: 'only entries whose names begin with this text, in upper and lower case as it is',
    }),
  ),
});

const JSON_TYPE = 'application/json; charset=utf-8';

/** JSON text. */
type Chunk = string | Uint8Array;

/**
 * The answer with a list. Its pages arrive as JSON bytes: the thread that reads the rows encodes them, so that this thread has no work with a
 * long list.
 * @param read reads one page, which may hold fewer entries than requested; the list continues while there is a `next`
 * @param around text before and after the list in the body
 * @param kept what the address of the next page has in addition
 * @throws Fault AUTH_LIST_TOO_LONG for a whole list that is too long
 */
export async function answerList<T>(
  { query }: Pick<Request, 'query'>,
  read: (page: PageRequest) => Promise<EncodedPage<T>>,
  around: readonly [string, string] = ['', ''],
  kept = '',
): Promise<Response> {
  const { limit, after } = query;
  const isPage = limit !== undefined || after !== undefined;
  const most = Number(limit ?? (isPage ? MAX_PAGE_ENTRIES : MAX_ENTRIES));
  const parts: Chunk[] = [`${around[0]}[`];
  let count = 0;
  let bytes = 0;
  let next: string | null | undefined = after;
  do {
    const page: EncodedPage<T> = await read({ after: next ?? undefined, limit: Math.min(most - count, MAX_PAGE_ENTRIES) });
    if (page.count > 0) parts.push(count > 0 ? ',' : '', page.json);
    count += page.count;
    bytes += page.bytes;
    next = page.next;
  } while (next !== null && count < most && bytes < MAX_BYTES);
  if (next !== null && !isPage) {
    release(parts);
    throw new Fault('AUTH_LIST_TOO_LONG', {
      detail: `the list has more than ${MAX_ENTRIES} entries or ${MAX_BYTES} bytes: use ?limit= to read it page by page`,
    });
  }
  const headers = next === null ? {} : { link: `<?limit=${most}&after=${next}${kept}>; rel="next"` };
  return { status: 200, ...joinParts([...parts, `]${around[1]}`]), headers };
}

/** As answerList, for a route with NAME_QUERY. */
export function answerNames<T>(request: Pick<Request, 'query'>, read: (page: PageRequest) => Promise<EncodedPage<T>>): Promise<Response> {
  const prefix = composed(String(request.query['prefix'] ?? ''));
  if (prefix === '') return answerList(request, read);
  return answerList(request, (page) => read({ ...page, prefix }), undefined, `&prefix=${encodeURIComponent(prefix)}`);
}

/** Joins parts of JSON text to a body; the parts must not be used afterwards. */
export function joinParts(parts: readonly Chunk[]): Pick<Response, 'body' | 'type' | 'once'> {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  release(parts);
  return { body, type: JSON_TYPE, once: true };
}

function release(parts: readonly Chunk[]): void {
  for (const part of parts) if (typeof part !== 'string') giveBack(part);
}
