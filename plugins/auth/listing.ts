// Lists in answers: the whole of one that is not too long, or a page of it with the address of the next in the header Link (RFC 8288).
import Type from 'typebox';
import { Fault } from '../../kernel/fault.ts';
import { giveBack } from '../../kernel/give-back.ts';
import type { Request, Response } from '../../kernel/http/route.ts';
import type { EncodedPage, PageRequest } from '../../kernel/store/page.ts';
import { Query } from './parameters.ts';

/** Of a list that is answered whole; what is longer is asked for page by page, so that nothing is ever left out without a word. */
const MAX_ENTRIES = 10_000;
const MAX_BYTES = 4_194_304;
const MAX_PAGE_ENTRIES = 1_000;
const MAX_CURSOR = 4_096;

export const PAGE_MEMBERS = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE_ENTRIES,
      description: `entries of a page at most; without it the whole list, of ${MAX_ENTRIES} entries at most`,
    }),
  ),
  after: Type.Optional(
    Type.String({ maxLength: MAX_CURSOR, pattern: '^[A-Za-z0-9_-]*$', description: 'where the page begins, as the header Link of the one before says' }),
  ),
};
export const PAGE_QUERY = Query(PAGE_MEMBERS);

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * The answer of a list. Its pages come as bytes, which the thread that reads the rows makes of them: here a list is nothing but its answer, and
 * nobody waits for the work on it.
 * @param read one page; it may hold fewer entries than were asked for, and the list goes on while there is a `next`
 * @param around what comes before and after the list in the body
 * @throws Fault AUTH_LIST_TOO_LONG for a whole list that is too long
 */
export async function listed<T>(
  { query }: Pick<Request, 'query'>,
  read: (page: PageRequest) => Promise<EncodedPage<T>>,
  around: readonly [string, string] = ['', ''],
): Promise<Response> {
  const { limit, after } = query;
  const isPage = limit !== undefined || after !== undefined;
  const most = Number(limit ?? (isPage ? MAX_PAGE_ENTRIES : MAX_ENTRIES));
  const parts: Uint8Array[] = [Buffer.from(`${around[0]}[`)];
  let count = 0;
  let bytes = 0;
  let next: string | null | undefined = after;
  do {
    const page: EncodedPage<T> = await read({ after: next ?? undefined, limit: Math.min(most - count, MAX_PAGE_ENTRIES) });
    if (page.count > 0) parts.push(Buffer.from(count > 0 ? ',' : ''), page.json);
    count += page.count;
    bytes += page.bytes;
    next = page.next;
  } while (next !== null && count < most && bytes < MAX_BYTES);
  const isTooLong = next !== null && !isPage;
  const body = isTooLong ? undefined : Buffer.concat([...parts, Buffer.from(`]${around[1]}`)]);
  for (const part of parts) giveBack(part);
  if (body === undefined)
    throw new Fault('AUTH_LIST_TOO_LONG', { detail: `the list has more than ${MAX_ENTRIES} entries or ${MAX_BYTES} bytes: ask for a page of it with ?limit=` });
  return { status: 200, body, type: JSON_TYPE, once: true, headers: next === null ? {} : { link: `<?limit=${most}&after=${next}>; rel="next"` } };
}
