// Follows what a public route answers: by server-sent events, and by asking again and again where these do not arrive.
import { Refusal } from './api.js';
import { arrivals } from './away.js';
import { leaveAsEnded, leaveIfEnded } from './sign-out.js';

/** Time between two questions without events, milliseconds; the server looks as often. */
const EVERY_MS = 3_000;
/** The first event follows the answer at once, unless something on the way keeps it. */
const FIRST_MS = 6_000;
/** A browser has six connections to a server, for all of its tabs; two are left for everything else. */
const PLACES = 4;

/** @param {string} path @returns {Promise<string>} @throws {Refusal} */
export async function textOf(path) {
  const response = await fetch(path, { cache: 'no-store', redirect: 'error' });
  if (response.status === 401) leaveAsEnded();
  if (!response.ok) throw new Refusal(response.status, `The server answered ${response.status}.`, '');
  return response.text();
}

/**
 * What is shown stays as it is while the server cannot be reached, and the page says so. Nothing is followed while nobody sees the page.
 * @param {import('./stage.js').Stage} stage until its view is left
 * @param {string} path
 * @param {(text: string) => void} take gets each answer, as text
 */
export async function follow({ signal }, path, take) {
  let isAsking = false;
  let haveCome = false;
  const { came, failed } = arrivals(signal);
  const taken = (/** @type {string} */ text) => {
    came();
    if (!signal.aborted) take(text);
  };
  while (!signal.aborted) {
    await untilSeen(signal);
    if (signal.aborted) return;
    if (isAsking) await textOf(path).then(taken, failed);
    else {
      const outcome = await inPlace(() => events(path, taken, failed, signal));
      haveCome ||= outcome === 'came';
      isAsking = outcome === 'none' && !haveCome;
    }
    await pause(EVERY_MS, signal);
  }
}

/** The same of a route that answers with JSON. @param {import('./stage.js').Stage} stage @param {string} path @param {(body: any) => void} take */
export const followJson = (stage, path, take) => follow(stage, path, (text) => take(JSON.parse(text)));

/** @typedef {'came' | 'none' | 'left'} Outcome whether events came; `left`: nobody saw the page any more */

/** Runs while it has one of the browser's places. @param {() => Promise<Outcome>} work @returns {Promise<Outcome>} */
async function inPlace(work) {
  for (let place = 0; place < PLACES; place++) {
    const outcome = await navigator.locks.request(`gatehouse live ${place}`, { ifAvailable: true }, (lock) => (lock ? work() : undefined));
    if (outcome !== undefined) return outcome;
  }
  return 'none';
}

/** @param {string} path @param {(text: string) => void} take @param {() => void} failed @param {AbortSignal} signal @returns {Promise<Outcome>} when they have ended */
function events(path, take, failed, signal) {
  return new Promise((resolve) => {
    const source = new EventSource(path);
    let haveCome = false;
    const end = () => {
      source.close();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', end);
      signal.removeEventListener('abort', end);
      resolve(haveCome ? 'came' : document.visibilityState === 'hidden' ? 'left' : 'none');
    };
    const timer = setTimeout(() => haveCome || end(), FIRST_MS);
    source.addEventListener('state', ({ data }) => {
      haveCome = true;
      take(data);
    });
    source.addEventListener('end', end);
    // The browser comes back by itself unless the server refused.
    source.addEventListener('error', () => {
      failed();
      if (source.readyState === EventSource.CLOSED) end();
    });
    for (const name of ['end', 'error']) source.addEventListener(name, () => void leaveIfEnded());
    document.addEventListener('visibilitychange', end);
    signal.addEventListener('abort', end);
  });
}

/** @param {AbortSignal} signal @returns {Promise<void>} */
function untilSeen(signal) {
  return new Promise((resolve) => {
    const look = () => {
      if (document.visibilityState === 'hidden' && !signal.aborted) return;
      document.removeEventListener('visibilitychange', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
    signal.addEventListener('abort', look);
    look();
  });
}

/** @param {number} ms @param {AbortSignal} signal @returns {Promise<void>} */
function pause(ms, signal) {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    setTimeout(resolve, ms);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
