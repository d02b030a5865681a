// Tells in a corner of the page what was done; screen readers say it.
let timer = 0;
const LATER = 'gatehouse notice';

const kept = sessionStorage.getItem(LATER);
sessionStorage.removeItem(LATER);
if (kept !== null) tell(kept);

/** Nothing beside an open dialog is heard, so that is told in it too. @param {string} text */
export function tell(text) {
  const inside = document.querySelector('#dialog[open] .told');
  if (inside) inside.textContent = text;
  const place = /** @type {HTMLElement} */ (document.getElementById('notice'));
  place.textContent = text;
  place.classList.add('shown');
  clearTimeout(timer);
  timer = setTimeout(() => place.classList.remove('shown'), 6_000);
}

/** Tells it when the view shows what was done, so that nobody types into a form that is about to be drawn again. @param {() => unknown} draw @param {string} text */
export async function tellDrawn(draw, text) {
  try {
    await draw();
  } finally {
    tell(text);
  }
}

/** Loads the page anew and tells it there. @param {string} text */
export function tellAnew(text) {
  sessionStorage.setItem(LATER, text);
  location.reload();
}

/** @param {string} text @param {string} what for the notice */
export async function copy(text, what) {
  // Who is told to load the page anew would lose a secret that is shown once.
  const words = await navigator.clipboard.writeText(text).then(
    () => `${what} copied.`,
    () => 'The browser does not let this page copy. Select the text and copy it yourself.',
  );
  tell(words);
}
