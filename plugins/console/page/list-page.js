// A page of a long list, which stands in the address of its view: back, a reload and a link lead to it again.
import { html, nothing } from '/console/lib/lit-html.js';
import { ask, query as queryOf } from './api.js';
import { submits } from './form.js';
import { nameField, nameIn } from './names.js';
import { pages } from './shown.js';

const PAGE = 25;

/**
 * @param {string} path of the list
 * @param {string} view its address, such as `realm/team`
 * @param {URLSearchParams} query of the view
 * @param {string} name of the parameter of the view that holds the place in this list
 * @param {string} prefix for a list that the server searches by the beginnings of its names
 * @returns {Promise<{ body: any, around: unknown, isLong: boolean }>} `around`: the way to the pages around; `isLong`: there are some
 */
export async function listPage(path, view, query, name = 'after', prefix = '') {
  const at = query.get(name) ?? '';
  const { body, next } = await ask('GET', `${path}?${queryOf({ limit: PAGE, after: at, prefix })}`);
  // The last of the page is gone.
  if (at !== '' && Array.isArray(body) && body.length === 0) return listPage(path, view, without(query, name), name, prefix);
  const after = next && new URLSearchParams(next.split('?')[1]).get('after');
  const pageAt = (/** @type {string} */ place) => `#/${view}?${queryOf({ ...Object.fromEntries(query), [name]: place })}`.replace(/\?$/, '');
  return { body, around: pages(pageAt(''), pageAt(at), after ? pageAt(after) : undefined, go), isLong: at !== '' || Boolean(after) };
}

/** @param {URLSearchParams} query @param {string} name */
const without = (query, name) => new URLSearchParams([...query].filter(([each]) => each !== name));

/**
 * A page of a list that is a part of its view. Where the last row of a page is gone, it is the first page.
 * @param {string} first address of the first page
 * @param {string | undefined} at address of the page; the first if undefined
 * @param {(body: any) => readonly any[]} rowsIn
 * @param {(at?: string) => unknown} again draws the view with this page
 * @returns {Promise<{ rows: readonly any[], around: unknown }>} `around`: the way to the pages around
 */
export async function partPage(first, at = first, rowsIn, again) {
  const { body, next } = await ask('GET', at);
  const rows = rowsIn(body);
  if (at !== first && rows.length === 0) return partPage(first, first, rowsIn, again);
  return { rows, around: at === first && next === undefined ? nothing : pages(first, at, next, again) };
}

/**
 * As listPage, of a list of names.
 * @param {string} path @param {string} view @param {URLSearchParams} query
 * @param {string} label of the field for the beginning of a name
 * @returns {Promise<{ body: any, around: unknown, search: unknown, isSearch: boolean }>} `search`: the form of the search, if the list has more than a page
 */
export async function namesPage(path, view, query, label) {
  const prefix = query.get('prefix') ?? '';
  const { body, around, isLong } = await listPage(path, view, query, 'after', prefix);
  const isSearch = prefix !== '';
  return { body, around, isSearch, search: isLong || isSearch ? searchForm(view, label, prefix) : nothing };
}

/** @param {string} view @param {string} label @param {string} prefix */
function searchForm(view, label, prefix) {
  const search = submits((data) => go(`#/${view}?${queryOf({ prefix: nameIn(data, 'prefix') })}`.replace(/\?$/, '')));
  return html`<form class="filters" role="search" aria-label="Names" @submit=${search}>
    ${nameField('prefix', label, { id: 'prefix', value: prefix, maxlength: 255 })}
    <div class="actions"><button type="submit">Search</button>${prefix === '' ? nothing : html`<a class="button quiet" href="#/${view}">Clear</a>`}</div>
  </form>`;
}

/** @param {string} address */
function go(address) {
  location.hash = address;
}
