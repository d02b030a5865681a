// Who is signed in, and what they may do.
import { get, Refusal } from './api.js';

/** @returns {Promise<import('./stage.js').Me>} */
export async function whoAmI() {
  const [rights, keys, create] = await Promise.all([get('/rights'), optional('/me'), optional('/access/create')]);
  return { ...rights, user: keys?.user, mayCreate: create?.has_create_permission ?? false };
}

/** @param {string} path @returns undefined if the caller's realm may not use the key server */
async function optional(path) {
  try {
    return await get(path);
  } catch (error) {
    if (error instanceof Refusal && error.status === 403) return undefined;
    throw error;
  }
}
