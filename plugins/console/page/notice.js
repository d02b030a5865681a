// Tells in a corner of the page what was done; screen readers say it.
let timer = 0;

/** @param {string} text */
export function tell(text) {
  const place = /** @type {HTMLElement} */ (document.getElementById('notice'));
  place.textContent = text;
  place.classList.add('shown');
  clearTimeout(timer);
  timer = setTimeout(() => place.classList.remove('shown'), 6_000);
}

/** @param {string} text @param {string} what for the notice */
export async function copy(text, what) {
  await navigator.clipboard.writeText(text);
  tell(`${what} copied.`);
}
