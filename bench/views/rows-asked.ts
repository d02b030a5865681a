// What the question rows asks a filled store: every list and search of the API, with its filters, at the first, the middle and the last page.
import { BUSY_ACTOR, RARE_EVENT } from '../filling/events.ts';
import { groupOf, keyName, ownOf } from '../filling/objects.ts';
import { FILL_REALM, FIRST_USER, roleName } from '../filling/people.ts';
import { get, type HttpRequest, post } from '../load/http-request.ts';
import { e, type Json, json, memberOf, n, s, t } from '../load/kmip-json.ts';
import type { ServerProcess } from '../server/server-process.ts';

export interface Asked {
  readonly what: string;
  readonly request: HttpRequest;
}

const PAGE = 100;
const cursor = (...values: readonly (string | number)[]) => Buffer.from(JSON.stringify(values)).toString('base64url');
const name = (value: string) => s('Name', t('NameValue', value), e('NameType', 'UninterpretedTextString'));
const tags = (...all: readonly string[]) =>
  s('Attribute', t('VendorIdentification', 'gatehouse'), t('AttributeName', 'tag'), t('AttributeValue', JSON.stringify(all)));
const AES = e('CryptographicAlgorithm', 'AES');
const date = (daysAgo: number): Json => ({ tag: 'InitialDate', type: 'DateTime', value: new Date(Date.now() - daysAgo * 86_400_000).toISOString() });

/** Searches by their attributes. */
const SEARCHES: Readonly<Record<string, readonly Json[]>> = {
  nothing: [],
  name: [name(keyName(5))],
  'a name that nobody has': [name('nobody')],
  'a granted name': [name(keyName(19))],
  'a tag that all have': [tags('all')],
  'a tag of a tenth': [tags('tenth 3')],
  'a tag of fifty': [tags('few 20')],
  'a tag of one in 10 000': [tags('rare')],
  'two tags': [tags('all', 'few 20')],
  'two tags that nothing has both of': [tags('tenth 3', 'tenth 4')],
  algorithm: [AES],
  'algorithm and length': [AES, n('CryptographicLength', 128)],
  type: [e('ObjectType', 'SymmetricKey')],
  'a type that nothing has': [e('ObjectType', 'Certificate')],
  'state Active': [e('State', 'Active')],
  'state Compromised': [e('State', 'Compromised')],
  'state Compromised and a tag that all have': [e('State', 'Compromised'), tags('all')],
  'state, algorithm and type': [e('State', 'Deactivated'), AES, e('ObjectType', 'SymmetricKey')],
  group: [t('ObjectGroup', groupOf(5))],
  'a range of dates': [date(20), date(10)],
  'usage mask': [n('CryptographicUsageMask', 12)],
};

/** @param objects how many there are */
export async function rowsAsked({ cookie, ask }: ServerProcess, objects: number): Promise<readonly Asked[]> {
  const locate = (offset: number, attributes: readonly Json[], most = 25) =>
    json(cookie, ['Locate', [n('MaximumItems', most), n('OffsetItems', offset), s('Attributes', ...attributes)]]);
  const idOf = async (value: string) => memberOf(await ask(locate(0, [name(value)])), 'UniqueIdentifier');
  const granted = async (at: number) => Buffer.from(`named:${await idOf(keyName(at))}`).toString('base64url');
  const own = await idOf(keyName(5));
  const mine = ownOf(objects);
  const list = (path: string) => get(path, { cookie });
  const middle = Math.floor(objects / 2 / 10) * 10 + 9;
  const last = objects - (objects % 10) - 201;
  return [
    ...Object.entries(SEARCHES).map(([what, attributes]) => ({ what: `Locate by ${what}`, request: locate(0, attributes) })),
    { what: 'Locate by nothing, 1000', request: locate(0, [], 1_000) },
    { what: 'Locate by nothing, middle', request: locate(Math.floor(mine / 2), []) },
    { what: 'Locate by nothing, last', request: locate(Math.floor(mine) - 25, []) },
    { what: 'Locate by algorithm, 10 000th', request: locate(10_000, [AES]) },
    { what: 'Locate by algorithm, 40 000th', request: locate(Math.min(40_000, Math.floor(mine)) - 25, [AES]) },
    { what: 'Locate by a tag that all have, 1000', request: locate(0, [tags('all')], 1_000) },
    { what: 'owned', request: list(`/access/owned?limit=${PAGE}`) },
    { what: 'owned, middle', request: list(`/access/owned?limit=${PAGE}&after=${Math.floor(objects / 2)}`) },
    { what: 'owned, last', request: list(`/access/owned?limit=${PAGE}&after=${PAGE}`) },
    { what: 'obtained', request: list(`/access/obtained?limit=${PAGE}`) },
    { what: 'obtained, middle', request: list(`/access/obtained?limit=${PAGE}&after=${await granted(middle)}`) },
    { what: 'obtained, last', request: list(`/access/obtained?limit=${PAGE}&after=${await granted(last - (last % 10) + 9)}`) },
    { what: 'grants of a key', request: list(`/access/list/${own}?limit=${PAGE}`) },
    { what: 'tombstones', request: list('/access/tombstones') },
    ...people(cookie),
    ...events(cookie),
  ];
}

const secretIds = `/auth/approle/role/${roleName(0)}/secret-id`;
const tokens = `/auth/approle/role/${roleName(0)}/tokens`;

function people(cookie: string): readonly Asked[] {
  const list = (what: string, path: string) => ({ what, request: get(path, { cookie }) });
  const sessions = (of: string, more = '') =>
    post(
      `/sessions/realms/${FILL_REALM}/clients?limit=${PAGE}${more}`,
      { cookie, 'content-type': 'application/json' },
      JSON.stringify([{ username: of, auth_scheme: 'up' }]),
    );
  return [
    list('credentials', `/admins/userpass?limit=${PAGE}`),
    list('credentials, last', `/admins/userpass?limit=${PAGE}&after=${cursor(FILL_REALM, 'user-00009')}`),
    list('credentials of a realm', `/realms/${FILL_REALM}/userpass?limit=${PAGE}`),
    list('credentials of a realm, 1000', `/realms/${FILL_REALM}/userpass?limit=1000`),
    list('credentials of a realm, middle', `/realms/${FILL_REALM}/userpass?limit=${PAGE}&after=${cursor(FILL_REALM, 'user-00005')}`),
    list('realms', `/admins/realms?limit=${PAGE}`),
    list('admins', `/admins?limit=${PAGE}`),
    list('admins, 1000', '/admins?limit=1000'),
    list('admins, last', `/admins?limit=${PAGE}&after=${cursor('filled-9')}`),
    list('roles', `/auth/approle/role?limit=${PAGE}`),
    list('roles, last', `/auth/approle/role?limit=${PAGE}&after=${cursor(roleName(150))}`),
    list('secret ids of a role', `${secretIds}?limit=${PAGE}`),
    list('secret ids of a role, middle', `${secretIds}?limit=${PAGE}&after=${cursor(Date.now() - 60_000, '')}`),
    list('tokens of a role', `${tokens}?limit=${PAGE}`),
    list('tokens of a role, middle', `${tokens}?limit=${PAGE}&after=${cursor(Date.now() - 60_000, '')}`),
    { what: 'sessions of one with 1000', request: sessions(FIRST_USER) },
    { what: 'sessions of one with few', request: sessions('user-00001234') },
  ];
}

/** Filters of the audit log. */
const FILTERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  all: {},
  'a realm': { realm: FILL_REALM },
  'a small realm': { realm: 'nobody' },
  'an event': { event: 'key.get' },
  'a rare event': { event: RARE_EVENT },
  'no event': { event: 'no.such' },
  'a busy actor': { actor: BUSY_ACTOR },
  'an actor': { actor: 'user-00001239' },
  'no actor': { actor: 'nobody' },
  'a realm and an event': { realm: '_', event: 'credential.update' },
  'a realm and a rare event': { realm: '_', event: RARE_EVENT },
  'a busy actor and a rare event': { actor: BUSY_ACTOR, event: RARE_EVENT },
  'a realm, a busy actor and an event': { realm: FILL_REALM, actor: BUSY_ACTOR, event: 'login' },
};

function events(cookie: string): readonly Asked[] {
  const of = (filter: Readonly<Record<string, string>>, more: Readonly<Record<string, string>>) =>
    get(`/audit?${new URLSearchParams({ limit: String(PAGE), ...filter, ...more })}`, { cookie });
  const daysAgo = (days: number) => cursor(Date.now() - days * 86_400_000, '', 0);
  return Object.entries(FILTERS).flatMap(([what, filter]) => [
    { what: `audit of ${what}, oldest`, request: of(filter, {}) },
    { what: `audit of ${what}, newest`, request: of(filter, { order: 'newest' }) },
    { what: `audit of ${what}, middle`, request: of(filter, { after: daysAgo(150) }) },
    { what: `audit of ${what}, last`, request: of(filter, { after: daysAgo(1) }) },
  ]);
}
