// Sends requests to the public API with the session of the browser.
import { leaveAsEnded } from './sign-out.js';

/** What the server says is wrong. */
export class Refusal extends Error {
  /** @param {number} status @param {string} message @param {string} code */
  constructor(status, message, code) {
    super(message);
    this.status = status;
    this.code = code;
    /** Whether something may have been done all the same: it was sent, and no answer of the server came. */
    this.isUnknown = false;
  }
}

/** What proxies answer where the server has not. */
const OF_PROXIES = [502, 504];

/** @typedef {'GET' | 'POST' | 'PUT' | 'DELETE'} Method */
/** @typedef {{ readonly status: number, readonly body: any, readonly next: string | undefined }} Answer `next` is the address of the next page */

/**
 * @param {Method} method
 * @param {string} path of this server, with its query
 * @param {unknown} [body] sent as JSON; a text is JSON already
 * @returns {Promise<Answer>}
 * @throws {Refusal}
 */
export async function ask(method, path, body) {
  // The names that the views know, whatever spelling the server is set to.
  const names = { 'x-json-names': 'profile' };
  const headers = { accept: 'application/json', ...names, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
  const content = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
  try {
    return await answerTo(path, { method, headers, cache: 'no-store', redirect: 'error', ...content });
  } catch (error) {
    if (error instanceof Refusal && method !== 'GET')
      error.isUnknown = error.code === 'UNREACHABLE' || (error.code === '' && OF_PROXIES.includes(error.status));
    throw error;
  }
}

/** @param {string} path @param {RequestInit} options @returns {Promise<Answer>} @throws {Refusal} */
async function answerTo(path, options) {
  const response = await send(path, options);
  const value = parse(await textOf(response));
  if (response.ok) return { status: response.status, body: value, next: nextOf(response.headers.get('link'), path) };
  if (response.status === 401) leaveAsEnded();
  throw refusalOf(value, response);
}

/** @param {any} value the body @param {Response} response */
export const refusalOf = (value, response) => new Refusal(response.status, messageOf(value, response), value?.code ?? value?.error ?? '');

/** @param {string} path */
export const get = async (path) => (await ask('GET', path)).body;

/** For requests with a credential of their own. @param {string} path @param {RequestInit} options @throws {Refusal} with status 0 if there is no answer */
export async function send(path, options) {
  try {
    return await fetch(path, options);
  } catch {
    throw unreachable();
  }
}

const unreachable = () => new Refusal(0, 'The server cannot be reached. Check the connection and try again.', 'UNREACHABLE');

/** @param {Response} response @throws {Refusal} with status 0 if the connection ends within it */
async function textOf(response) {
  try {
    return await response.text();
  } catch {
    throw unreachable();
  }
}

/** @param {string} text */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param {any} value @param {Response} response */
function messageOf(value, { status, headers }) {
  const said = value?.errors?.length > 1 ? value.errors.join('; ') : (value?.message ?? value?.description);
  if (status === 429) return `Too many requests. Try again in ${headers.get('retry-after') ?? 'a few'} seconds.`;
  // The key server names the reason of KMIP first, which is for programs.
  if (said) return sentence(String(said).replace(/^[A-Z]\w+: (DENIED: )?(?=\S)/, ''));
  return status === 403 ? 'You are not allowed to do this.' : `The server answered ${status}.`;
}

/** A name at its beginning, as of a parameter or a key, stays as it is. @param {string} text */
function sentence(text) {
  const begun = /^[a-z]+[ ,]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

/** RFC 8288. @param {string | null} link @param {string} path to which the address may be relative */
function nextOf(link, path) {
  const [, target] = /<([^>]*)>; rel="next"/.exec(link ?? '') ?? [];
  if (target === undefined) return undefined;
  const { pathname, search } = new URL(target, new URL(path, location.origin));
  return pathname + search;
}

/** Encodes a part of a path. */
export const part = encodeURIComponent;

/** @param {Record<string, string | number | undefined>} members those without a text are left out */
export function query(members) {
  const given = Object.entries(members).filter(([, value]) => value !== undefined && value !== '');
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
}
