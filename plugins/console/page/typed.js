// Keeps what somebody has typed into a form while they sign in again: in this tab, for the same user, and never a secret.
const NAME = 'gatehouse typed';

/** @typedef {HTMLInputElement | HTMLSelectElement} Field */
/** @typedef {{ name: string, value: string, isChecked: boolean | undefined }} Entry */
/** @typedef {{ realm: string, username: string }} User */

/** @type {User | undefined} */
let typing;

/** A form that is kept has `data-kept`, the address of its view, from which somebody may have gone on meanwhile. */
const keptForm = () => [...document.querySelectorAll('main form[data-kept]')].find((form) => form.getAttribute('data-kept') === location.hash);

document.addEventListener('input', ({ target }) => formOf(target)?.setAttribute('data-typed', ''));
document.addEventListener('reset', ({ target }) => formOf(target)?.removeAttribute('data-typed'));

/** @param {EventTarget | null} target */
const formOf = (target) => /** @type {Element} */ (target).closest('form');

/** Passwords and files are not kept, nor texts of several lines, which may be keys. */
export function keepTyped() {
  const form = /** @type {HTMLFormElement | undefined} */ (keptForm());
  if (!typing || !form?.hasAttribute('data-typed')) return;
  const kept = { typing, hash: location.hash, entries: fieldsOf(form).map(entryOf) };
  sessionStorage.setItem(NAME, JSON.stringify(kept));
}

/** @param {HTMLFormElement} form @returns {Field[]} */
function fieldsOf(form) {
  const fields = /** @type {Field[]} */ ([...form.elements].filter((each) => each.matches('input, select')));
  return fields.filter(({ name, type }) => name !== '' && !['password', 'file'].includes(type));
}

/** @param {Field} field */
const isChoice = ({ type }) => ['radio', 'checkbox'].includes(type);

/** @param {Field} field @returns {Entry} */
const entryOf = (field) => ({ name: field.name, value: field.value, isChecked: /** @type {HTMLInputElement} */ (field).checked });

/** @param {HTMLFormElement} form @param {Entry} entry */
function put(form, { name, value, isChecked }) {
  const field = fieldsOf(form).find((each) => each.name === name && (!isChoice(each) || each.value === value));
  if (!field) return;
  if (isChoice(field)) /** @type {HTMLInputElement} */ (field).checked = isChecked === true;
  else field.value = value;
  // A radio button that is off says nothing; that which is on tells the form.
  if (field.type !== 'radio' || isChecked) field.dispatchEvent(new Event('change', { bubbles: true }));
}

/**
 * Once, in the first view after a sign-in. What somebody else has typed is forgotten.
 * @param {User} me whose entries are kept from now on
 * @returns {boolean} whether there was something
 */
export function restoreTyped({ realm, username }) {
  typing = { realm, username };
  const text = sessionStorage.getItem(NAME);
  sessionStorage.removeItem(NAME);
  const kept = text === null ? undefined : JSON.parse(text);
  const form = /** @type {HTMLFormElement | undefined} */ (keptForm());
  if (!form || kept?.hash !== location.hash || kept.typing.realm !== realm || kept.typing.username !== username) return false;
  form.closest('details')?.setAttribute('open', '');
  form.setAttribute('data-typed', '');
  // In the order of the form: what one field says decides which others there are.
  for (const entry of kept.entries) put(form, entry);
  return true;
}
