// Tells that what a view follows does not arrive any more, so that nobody takes what it shows for what is; and waits for the server.

/** A restart of the server, or a proxy that ends connections, is not told if what was missed has come by then, milliseconds. */
const PATIENCE_MS = 4_000;
/** Time between two looks whether the server is there, milliseconds. */
const EVERY_MS = 3_000;

/** What is late, with the time from which on it did not arrive. @type {Map<object, Date>} */
const late = new Map();

function draw() {
  const place = /** @type {HTMLElement} */ (document.getElementById('away'));
  const [since] = [...late.values()].sort((a, b) => Number(a) - Number(b));
  place.classList.toggle('shown', since !== undefined);
  place.textContent = since ? `The server has not answered since ${since.toLocaleTimeString()}. What is shown is of then.` : '';
}

/**
 * @param {AbortSignal} signal until nobody follows it any more
 * @returns {{ came: () => void, failed: () => void }} to be told of each arrival, and of each attempt that failed
 */
export function arrivals(signal) {
  const own = {};
  let timer = 0;
  const came = () => {
    clearTimeout(timer);
    timer = 0;
    if (late.delete(own)) draw();
  };
  const failed = () => {
    if (timer !== 0 || signal.aborted) return;
    const since = new Date();
    timer = setTimeout(() => {
      late.set(own, since);
      draw();
    }, PATIENCE_MS);
  };
  signal.addEventListener('abort', came);
  return { came, failed };
}

/** @param {AbortSignal} signal @returns {Promise<boolean>} whether the server is there; false once the view is left */
export async function isBack(signal) {
  while (!signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    if (!signal.aborted && (await fetch('/health', { cache: 'no-store' }).catch(() => undefined))?.ok) break;
  }
  return !signal.aborted;
}
