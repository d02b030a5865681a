// Looks whether a role has a name already: the API would put the new one in its place.
import { ask, Refusal } from './api.js';

/** @param {string} list its address @param {string} name @throws {Refusal} */
export async function requireFree(list, name) {
  for (let address = /** @type {string | undefined} */ (`${list}?limit=1000`); address !== undefined; ) {
    const { body, next } = await ask('GET', address);
    if (body.data.keys.includes(name)) throw new Refusal(0, 'There is one with this name already. Choose another name.', 'TAKEN');
    address = next;
  }
}
