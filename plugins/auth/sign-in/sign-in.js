// The sign-in page: asks step by step for what POST /login wants, leaves for a page of this server, and signs out.
const STEPS = ['credentials', 'code', 'change', 'done'];
const query = new URLSearchParams(location.search);
/** What was entered so far: every step posts all of it again. Emptied when the sign-in ends or starts over. */
let entered = {};

const element = (id) => document.getElementById(id);

function show(step) {
  for (const each of STEPS) element(each).hidden = each !== step;
  // The first field that waits for something; where there is none, the heading says what has happened.
  const fields = [...element(step).querySelectorAll('input:not([tabindex])')];
  (fields.find(({ value }) => value === '') ?? fields[0] ?? element(step).querySelector('h1')).focus();
}

function say(text) {
  const alert = element('alert');
  // Emptied first, so that the same words are announced again.
  alert.textContent = '';
  alert.hidden = text === '';
  alert.textContent = text;
}

function startOver(text = '') {
  entered = {};
  element('signed-out').hidden = true;
  for (const field of document.querySelectorAll('input[type="password"], #totp')) field.value = '';
  say(text);
  show('credentials');
}

/** @returns the page to leave for, always an address of this server; undefined where none was asked for or it is a foreign one */
function nextPage() {
  const next = query.get('next') ?? '';
  if (!/^\/(?![/\\])/.test(next)) return undefined;
  // Resolved before it is believed: a tab in the text, for one, disappears and may leave two slashes.
  const address = URL.canParse(next, location.origin) ? new URL(next, location.origin) : undefined;
  if (address?.origin !== location.origin) return undefined;
  // What stands after the number sign never reached the server; the browser kept it on the way here.
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

function proceed({ next_step: step }) {
  say('');
  if (step === 'TotpRequired') return show('code');
  if (step === 'ChangePassword') {
    element('change-username').value = entered.username;
    return show('change');
  }
  if (step !== 'Authenticated') return startOver('The server asks for a step that this page does not support.');
  const { realm, username } = entered;
  entered = {};
  const page = nextPage();
  if (page !== undefined) return location.replace(page);
  welcome({ realm, username });
}

/** Says who is signed in; who comes with a session can go on to the page that was asked for. */
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

/** @returns whose session the browser has, null without one */
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
    // 401: it had ended already.
    if (!answer.ok && answer.status !== 401) throw new Error(`the server answers ${answer.status}`);
  }
  startOver();
  element('signed-out').hidden = false;
}

function refuse(status, retryAfter, message) {
  if (status === 429) return say(`Too many attempts. Please wait ${waitInWords(retryAfter)} and try again.`);
  if (status === 503 || status === 504) return say('The server is busy or starting. Please try again in a moment.');
  if (status === 400) return say(message ? `That did not work: ${message}.` : 'That did not work: the server could not read the request.');
  if (status !== 401) return say('Something went wrong on the server. Please try again. If the problem remains, tell your administrator.');
  if (!entered.code) return startOver('The realm, user or password is wrong, or you cannot sign in at the moment.');
  // The password was accepted before: it is the code, which may also have run out while a new password was chosen.
  entered.code = undefined;
  element('totp').value = '';
  say('The code is wrong or was used before, or you cannot sign in at the moment. Please enter the next code.');
  show('code');
}

function waitInWords(retryAfter) {
  const seconds = Number.parseInt(retryAfter ?? '', 10);
  if (!(seconds > 0)) return 'a moment';
  if (seconds > 90) return `${Math.ceil(seconds / 60)} minutes`;
  return seconds === 1 ? 'a second' : `${seconds} seconds`;
}

async function submit(form) {
  // The buttons stay enabled, so that the focus stays where it is.
  if (form.getAttribute('aria-busy') === 'true') return;
  element('signed-out').hidden = true;
  form.setAttribute('aria-busy', 'true');
  element('progress').textContent = 'Signing in';
  try {
    const answer = await post();
    const body = await answer.json().catch(() => ({}));
    if (answer.ok) proceed(body);
    else refuse(answer.status, answer.headers.get('retry-after'), body.message);
  } catch {
    say('The page cannot reach the server. Please check the connection and try again.');
  } finally {
    form.removeAttribute('aria-busy');
    element('progress').textContent = '';
  }
}

/** What each form adds to what is known; a text is why it cannot be sent. */
const READ = {
  credentials: () => {
    entered = { realm: element('realm').value.trim(), username: element('username').value.trim(), password: element('password').value };
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
    const problem = read();
    if (problem) say(problem);
    else submit(event.target);
  });
}
for (const button of document.querySelectorAll('.back')) button.addEventListener('click', () => startOver());
element('sign-out').addEventListener('click', () => signOut().catch(() => say('Signing out did not work. Please try again in a moment.')));
// A page that the browser kept must not bring back what was typed.
addEventListener('pageshow', (event) => event.persisted && start());

/** Without an answer the form is there all the same: what is wrong shows when it is sent. */
async function start() {
  startOver();
  const own = await session().catch(() => null);
  // Who has begun to type is not interrupted.
  if (own && element('password').value === '') welcome(own, nextPage());
}

element('realm').value = query.get('realm') ?? '';
start();
