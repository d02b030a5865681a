// The sign-in page: asks step by step for what POST /login needs, goes to the next page of this server, and signs out.
const STEPS = ['credentials', 'code', 'change', 'done'];
const query = new URLSearchParams(location.search);
/** The entries so far: every step sends all of them again. Cleared when the sign-in ends or starts over. */
let entered = {};

const element = (id) => document.getElementById(id);

function show(step) {
  for (const each of STEPS) element(each).hidden = each !== step;
  // Focus the first empty field, or the heading if the step has no field.
  const fields = [...element(step).querySelectorAll('input:not([tabindex])')];
  (fields.find(({ value }) => value === '') ?? fields[0] ?? element(step).querySelector('h1')).focus();
}

function say(text) {
  const alert = element('alert');
  // Cleared first, so that screen readers announce the same text again.
  alert.textContent = '';
  alert.hidden = text === '';
  alert.textContent = text;
}

/** The page may stay open for long after a sign-in. */
function forget() {
  entered = {};
  for (const field of document.querySelectorAll('input[type="password"], #totp')) field.value = '';
}

function startOver(text = '') {
  forget();
  element('signed-out').hidden = true;
  say(text);
  show('credentials');
}

/** @returns the page to go to, always an address of this server; undefined if none was requested or it belongs to another server */
function nextPage() {
  const next = query.get('next') ?? '';
  if (!/^\/(?![/\\])/.test(next)) return undefined;
  // Check the resolved address: a tab in the text, for example, disappears on resolving and may leave two slashes.
  const address = URL.canParse(next, location.origin) ? new URL(next, location.origin) : undefined;
  if (address?.origin !== location.origin) return undefined;
  // The fragment never reached the server; the browser kept it in the address of this page.
  address.hash ||= location.hash;
  return address.href;
}

/** RFC 7617 with UTF-8. */
function basic(username, password) {
  const bytes = new TextEncoder().encode(`${username}:${password}`);
  return `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}`;
}

function post() {
  const { realm, username, password, code, newPassword } = entered;
  return fetch(`/login?realm=${encodeURIComponent(realm)}`, {
    method: 'POST',
    headers: { authorization: basic(username, password), 'content-type': 'application/json' },
    body: JSON.stringify({ ...(code ? { totp_code: code } : {}), ...(newPassword ? { new_password: newPassword } : {}) }),
    cache: 'no-store',
    redirect: 'error',
  });
}

/** @param attempt the entries that were sent: who has started over meanwhile is signed in all the same, but asked nothing more for them */
function proceed({ next_step: step }, attempt) {
  if (attempt !== entered && step !== 'Authenticated') return;
  say('');
  if (step === 'TotpRequired') return show('code');
  if (step === 'ChangePassword') {
    element('change-username').value = entered.username;
    return show('change');
  }
  if (step !== 'Authenticated') return startOver('The server asks for a step that this page does not support. Please sign in with another client.');
  const { realm, username } = attempt;
  forget();
  // Pages in other tabs may still show what another user was shown.
  new BroadcastChannel('gatehouse').postMessage('signed-in');
  const page = nextPage();
  if (page !== undefined) return location.replace(page);
  welcome({ realm, username });
}

/** Shows who is signed in, and a link to the requested page for a user who already had a session. */
function welcome({ realm, username }, page) {
  element('who').textContent = username;
  element('where').textContent = realm;
  element('close').hidden = page !== undefined;
  element('next').replaceChildren(...(page === undefined ? [] : [linkTo(page)]));
  show('done');
}

function linkTo(page) {
  const link = document.createElement('a');
  link.href = page;
  link.textContent = 'Continue';
  return link;
}

/** @returns the session of the browser and its user, or null */
async function session() {
  const answer = await fetch('/sign-in/session', { cache: 'no-store', redirect: 'error' });
  if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
  return answer.json();
}

async function signOut() {
  const own = await session();
  if (own) {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch('/sessions', { method: 'DELETE', headers, body: JSON.stringify({ session_ids: [own.session_id] }), redirect: 'error' });
    // 401: the session had already ended.
    if (!answer.ok && answer.status !== 401) throw new Error(`the server answers ${answer.status}`);
  }
  // The pages of this server in other tabs show what only this user may see.
  new BroadcastChannel('gatehouse').postMessage('signed-out');
  startOver();
  element('signed-out').hidden = false;
}

function refuse(status, retryAfter, message) {
  if (status === 429) return say(`Too many attempts. Please wait ${waitInWords(retryAfter)} and try again.`);
  if (status === 503 || status === 504) return say('The server is busy or starting. Please try again in a moment.');
  if (status === 400)
    return say(message ? `The server refused this: ${message}.` : 'The server could not read the request. Please reload the page and try again.');
  if (status !== 401) return say('Something went wrong on the server. Please try again. If the problem persists, tell your administrator.');
  if (!entered.code) return startOver(`The realm, user or password is wrong, or you cannot sign in at the moment.${aboutSpace(entered.username)}`);
  // The password was accepted before, so the code is wrong, or it expired while the user chose a new password.
  entered.code = undefined;
  element('totp').value = '';
  say('The code is wrong or was used before, or you cannot sign in at the moment. Please enter the next code.');
  show('code');
}

/** Names are compared as they are. Keyboards of phones add a space, which nobody sees. */
const aboutSpace = (name) => (name === name.trim() ? '' : ' The user name that you sent begins or ends with a space.');

function waitInWords(retryAfter) {
  const seconds = Number.parseInt(retryAfter ?? '', 10);
  if (!(seconds > 0)) return 'a moment';
  if (seconds > 90) return `${Math.ceil(seconds / 60)} minutes`;
  return seconds === 1 ? 'a second' : `${seconds} seconds`;
}

async function submit(form) {
  const attempt = entered;
  for (const id of ['signed-out', 'ended']) element(id).hidden = true;
  form.setAttribute('aria-busy', 'true');
  element('progress').textContent = 'Signing in';
  try {
    const answer = await post();
    const body = await answer.json().catch(() => ({}));
    if (answer.ok) proceed(body, attempt);
    else if (attempt === entered) refuse(answer.status, answer.headers.get('retry-after'), body.message);
  } catch {
    if (attempt === entered) say('The page cannot reach the server. Please check the connection and try again.');
  } finally {
    form.removeAttribute('aria-busy');
    element('progress').textContent = '';
  }
}

/** Reads each form into the entries; returns a text if the form cannot be sent. */
const READ = {
  credentials: () => {
    entered = { realm: element('realm').value.trim(), username: element('username').value, password: element('password').value };
  },
  code: () => {
    entered.code = element('totp').value.replaceAll(/\s/g, '');
  },
  change: () => {
    const newPassword = element('new-password').value;
    if (newPassword !== element('repeated').value) return 'The two new passwords differ.';
    entered.newPassword = newPassword;
  },
};

for (const [id, read] of Object.entries(READ)) {
  element(id).addEventListener('submit', (event) => {
    event.preventDefault();
    // Do not disable the buttons: that would take the focus away from them.
    if (event.target.getAttribute('aria-busy') === 'true') return;
    const problem = read();
    if (problem) say(problem);
    else submit(event.target);
  });
}
for (const button of document.querySelectorAll('.back')) button.addEventListener('click', () => startOver());
element('sign-out').addEventListener('click', () => signOut().catch(() => say('Sign-out failed. Please try again in a moment.')));
// A page that the browser restores from its cache must not show earlier entries.
addEventListener('pageshow', (event) => event.persisted && start());

/** Shows the form even if the server does not answer; sending it then shows the error. */
async function start() {
  startOver();
  const own = await session().catch(() => null);
  // Do not interrupt a user who has begun to type.
  if (own && element('password').value === '') return welcome(own, nextPage());
  element('ended').hidden = own !== null || !query.has('ended');
}

element('realm').value = query.get('realm') ?? '';
start();
