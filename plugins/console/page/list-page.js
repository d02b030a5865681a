// A page of a long list, which stands in the address of its view: back, a reload and a link lead to it again.
import { ask, query as queryOf } from './api.js';
import { pages } from './shown.js';

const PAGE = 25;

/**
 * @param {string} path of the list
 * @param {string} view its address, such as `realm/team`
 * @param {URLSearchParams} query of the view
 * @param {string} name of the parameter of the view that holds the place in this list
 * @returns {Promise<{ body: any, around: unknown }>} `around`: the way to the pages around
 */
export async function listPage(path, view, query, name = 'after') {
  const at = query.get(name) ?? '';
  const { body, next } = await ask('GET', `${path}?${queryOf({ limit: PAGE, after: at })}`);
  const after = next && new URLSearchParams(next.split('?')[1]).get('after');
  const pageAt = (/** @type {string} */ place) => `#/${view}?${queryOf({ ...Object.fromEntries(query), [name]: place })}`.replace(/\?$/, '');
  return { body, around: pages(pageAt(''), pageAt(at), after ? pageAt(after) : undefined, go) };
}

/** @param {string} address */
function go(address) {
  location.hash = address;
}
