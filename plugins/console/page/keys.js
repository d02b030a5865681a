// The list of keys: a search by attributes, a page at a time as the server finds them.

import { html, nothing } from '/console/lib/lit-html.js';
import { get, query as queryOf } from './api.js';
import { selectField } from './form.js';
import { icon } from './icons.js';
import { enumeration, integer, memberOf, membersOf, nameNode, operate, structure, tagsNode, vendorNode } from './kmip.js';
import { listPage } from './list-page.js';
import { describeAll, STATES } from './managed-object.js';
import { nameField, nameIn } from './names.js';
import { day, empty, head, pager, stateBadge, table, tagList } from './shown.js';

const PAGE = 25;
/** On-line and in the archive: a key there keeps its name, and its page is where it is recovered. Bits of StorageStatusMask (KMIP 2.1 section 12). */
const STORAGES = 0x1 | 0x2;
const ALGORITHMS = [
  'AES',
  'RSA',
  'EC',
  'Ed25519',
  'Ed448',
  'X25519',
  'MLDSA_44',
  'MLDSA_65',
  'MLDSA_87',
  'HMAC_SHA256',
  'HMAC_SHA384',
  'HMAC_SHA512',
  'ChaCha20Poly1305',
];
const TYPES = ['SymmetricKey', 'PrivateKey', 'PublicKey', 'Certificate', 'SecretData', 'OpaqueObject', 'SplitKey'];
const FILTERS = ['name', 'tag', 'algorithm', 'state', 'type', 'hsm', 'owner', 'scope'];

/** @typedef {{ objects: import('./managed-object.js').ManagedObject[], owners: ReadonlyMap<string, string>, around: unknown }} Found `around`: the way to the pages around */

/** @param {import('./stage.js').Stage} stage */
export async function open(stage) {
  const { query } = stage;
  const asked = FILTERS.filter((name) => query.get(name));
  // The list of all that is granted names the owners; it cannot be searched.
  const isList = asked.length === 1 && query.get('scope') === 'granted';
  const [found, places] = await Promise.all([isList ? granted(query) : located(query), placesOfHsms()]);
  const isSearch = asked.length > 0;
  const action = stage.me.mayCreate
    ? html`<a class="button quiet" href="#/import-key">Import a key</a> <a class="button" href="#/new-key">${icon('plus')}Make a key</a>`
    : nothing;
  const template = html`
    ${head('Keys', html`Keys, certificates and secrets that you own or may use, as <bdi>${stage.me.user}</bdi>.`, action)}
    ${searchForm(query, isSearch, places)}
    ${found.objects.length === 0 ? nobody(isSearch, action) : list(found)}
    ${found.around}
  `;
  stage.show('Keys', template);
}

/** @param {string} address */
function go(address) {
  location.hash = address;
}

/** @param {boolean} isSearch @param {unknown} action */
const nobody = (isSearch, action) =>
  isSearch
    ? empty('Nothing found', 'No object that you may use has all of these attributes.')
    : empty('No keys yet', 'Make one: say what it is for, and the console proposes the rest.', action);

/** @param {Found} found */
function list({ objects, owners }) {
  const rows = objects.map((object) => [
    html`<a href="#/key/${encodeURIComponent(object.id)}"><bdi>${object.title}</bdi></a>`,
    html`${object.typeName}<small>${object.kind}</small>`,
    stateBadge(object),
    tagList(object.tags),
    owners.has(object.id) ? html`<bdi>${owners.get(object.id)}</bdi>` : object.place,
    day(object.dates['InitialDate']),
  ]);
  return table('Keys', ['Name', 'Kind', 'State', 'Tags', owners.size > 0 ? 'Owner' : 'Where', 'Made'], rows);
}

/** Each HSM, and each slot of those that have several. @returns {Promise<(readonly [string, string])[]>} */
async function placesOfHsms() {
  const instances = /** @type {{ prefix: string, slots: { slot_id: number }[] }[]} */ (await get('/hsm/status'));
  return instances.flatMap(({ prefix, slots }) => {
    const each = slots.length < 2 ? [] : slots.map(({ slot_id: slot }) => /** @type {const} */ ([`${prefix}::${slot}`, `${prefix}, slot ${slot}`]));
    return [/** @type {const} */ ([prefix, prefix]), ...each];
  });
}

/** @param {URLSearchParams} query @param {boolean} isSearch @param {readonly (readonly [string, string])[]} places */
function searchForm(query, isSearch, places) {
  const value = (/** @type {string} */ name) => query.get(name) ?? '';
  const choices = (/** @type {readonly string[]} */ all) => all.map((each) => /** @type {const} */ ([each, each.replaceAll('_', '-')]));
  const search = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const data = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget));
    location.hash = `#/keys?${queryOf(Object.fromEntries(FILTERS.map((name) => [name, nameIn(data, name)])))}`;
  };
  return html`<form class="filters" role="search" aria-label="Keys" @submit=${search}>
    ${nameField('name', 'Name', { value: value('name'), maxlength: 255 })} ${nameField('tag', 'Tag', { value: value('tag'), maxlength: 255 })}
    ${selectField('algorithm', 'Algorithm', [['', 'Any'], ...choices(ALGORITHMS)], { value: value('algorithm') })}
    ${selectField('type', 'Type', [['', 'Any'], ...choices(TYPES)], { value: value('type') })}
    ${selectField('state', 'State', [['', 'Any but destroyed'], ...Object.entries(STATES).map(([state, [words]]) => /** @type {const} */ ([state, words]))], { value: value('state') })}
    ${places.length === 0 ? nothing : selectField('hsm', 'HSM', [['', 'Any place'], ...places], { value: value('hsm') })}
    ${nameField('owner', 'Owner', { value: value('owner'), maxlength: 255, placeholder: 'team/ada' })}
    ${selectField(
      'scope',
      'Whose',
      [
        ['', 'Mine and others'],
        ['granted', 'Granted to me'],
      ],
      { value: value('scope') },
    )}
    <div class="actions"><button type="submit">Search</button>${isSearch ? html`<a class="button quiet" href="#/keys">Clear</a>` : nothing}</div>
  </form>`;
}

/** @param {URLSearchParams} query @returns {Promise<Found>} */
async function located(query) {
  const offset = offsetIn(query);
  const asked = [
    ...given(query, 'name', nameNode),
    ...given(query, 'tag', (tag) => tagsNode([tag])),
    ...given(query, 'algorithm', (value) => enumeration('CryptographicAlgorithm', value)),
    ...given(query, 'type', (value) => enumeration('ObjectType', value)),
    ...given(query, 'state', (value) => enumeration('State', value)),
    ...['hsm', 'owner', 'scope'].flatMap((name) => given(query, name, (value) => vendorNode(name, value))),
  ];
  const where = [integer('MaximumItems', PAGE), integer('OffsetItems', offset), integer('StorageStatusMask', STORAGES)];
  const answer = await operate('Locate', [...where, structure('Attributes', asked)]);
  const ids = membersOf(answer, 'UniqueIdentifier');
  // The list has become shorter since the address was made, as when the last key of its last page is destroyed.
  if (ids.length === 0 && offset > 0) return located(new URLSearchParams({ ...Object.fromEntries(query), offset: String(lastBefore(offset, answer)) }));
  // The server does not count what are too many to count.
  const count = memberOf(answer, 'LocatedItems');
  const total = count === undefined ? Number.POSITIVE_INFINITY : Number(count);
  const at = (/** @type {number} */ start) => `#/keys?${queryOf({ ...Object.fromEntries(query), offset: start > 0 ? start : '' })}`;
  const told = ids.length === 0 ? '' : `${offset + 1} to ${offset + ids.length} of ${count === undefined ? 'many' : total.toLocaleString()}`;
  const before = offset > 0 ? () => go(at(offset - PAGE)) : undefined;
  const after = offset + ids.length < total && ids.length > 0 ? () => go(at(offset + PAGE)) : undefined;
  return { objects: await describeAll(ids), owners: new Map(), around: pager(before, after, told) };
}

/** What the address says may be anything: the server refuses what is no Integer of KMIP. @param {URLSearchParams} query */
const offsetIn = (query) => Math.min(Math.max(0, Math.trunc(Number(query.get('offset'))) || 0), 0x7fff_ffff);

/** @param {number} offset @param {readonly import('./kmip.js').Node[]} answer of Locate @returns {number} the offset of the last page before this one */
function lastBefore(offset, answer) {
  const total = Number(memberOf(answer, 'LocatedItems') ?? 0);
  return Math.max(0, Math.min(Math.floor((total - 1) / PAGE) * PAGE, offset - PAGE));
}

/** @param {URLSearchParams} query @param {string} name @param {(value: string) => import('./kmip.js').Node} node */
function given(query, name, node) {
  const value = query.get(name);
  return value ? [node(value)] : [];
}

/** @param {URLSearchParams} query @returns {Promise<Found>} */
async function granted(query) {
  const { body, around } = await listPage('/access/obtained', 'keys', query);
  const owners = new Map(body.map((/** @type {any} */ item) => [item.object_id, item.owner_id]));
  return { objects: await describeAll([...owners.keys()]), owners, around };
}
