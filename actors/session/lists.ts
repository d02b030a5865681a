// Lists live sessions page by page.
import { cursorOf, type Listing, type Page, type PageRequest, parseCursor, readPage } from '../../kernel/store/page.ts';
import type { Reader } from '../../kernel/store/store.ts';
import type { SessionClient } from './api.ts';
import { EXPIRED } from './expired.ts';

/** Session ids in the order of the clients; for each client, oldest first. */
export async function listRows(
  store: Reader,
  realm: string,
  clients: readonly SessionClient[],
  { after, limit }: PageRequest,
  now: number,
): Promise<Page<string>> {
  const distinct = [...new Map(clients.map((client) => [`${client.scheme}/${client.username}`, client])).values()];
  const [from = 0, inner = ''] = after === undefined ? [] : (parseCursor(after, ['number', 'string']) as [number, string]);
  const items: string[] = [];
  let bytes = 0;
  for (const [at, client] of distinct.entries()) {
    if (at < from) continue;
    const page = await readPage<{ id: string }>(store, listingOf(realm, client, now), {
      after: at === from && inner !== '' ? inner : undefined,
      limit: limit - items.length,
    });
    items.push(...page.items.map(({ id }) => id));
    bytes += page.bytes;
    const isLast = at === distinct.length - 1;
    if (page.next !== null) return { items, bytes, next: cursorOf([at, page.next]) };
    if (items.length === limit && !isLast) return { items, bytes, next: cursorOf([at + 1, '']) };
  }
  return { items, bytes, next: null };
}

function listingOf(realm: string, { username, scheme }: SessionClient, now: number): Listing {
  return {
    columns: 'created_at, id',
    from: 'session',
    where: `realm = $1 AND username = $2 AND scheme = $3 AND NOT (${EXPIRED.replaceAll('$1', '$4')})`,
    params: [realm, username, scheme, now],
    key: { created_at: 'number', id: 'string' },
    size: 'OCTET_LENGTH(id)',
  };
}
