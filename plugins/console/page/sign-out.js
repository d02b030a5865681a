// Leaves when the session has ended, here and in every other tab of this browser.
import { keepTyped } from './typed.js';

const channel = new BroadcastChannel('gatehouse');
let isLeaving = false;
/** The session that this page was made for. @type {{ session_id: string, realm: string } | undefined} */
let shown;

channel.addEventListener('message', ({ data }) => {
  if (data === 'signed-out') leave();
  if (data === 'signed-in') leaveIfEnded();
});

/** Another tab, or the server, may have ended the session while nobody looked at this one. */
document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && leaveIfEnded());

/** @param {import('./stage.js').Me} me whom this page is made for */
export function followSession(me) {
  shown = me;
}

/** Leaves if the session has ended. If there is another one by now, the page is made anew: it says who is signed in, and what they may do. */
export async function leaveIfEnded() {
  if (isLeaving) return;
  const answer = await fetch('/sign-in/session', { cache: 'no-store' }).catch(() => undefined);
  if (!answer?.ok) return;
  const session = await answer.json();
  if (session === null) return leaveAsEnded();
  if (shown === undefined || session.session_id === shown.session_id || isLeaving) return;
  isLeaving = true;
  keepTyped();
  location.reload();
}

/** Goes to the sign-in page, which leads back here. What this page has shown is gone with it. */
export function leave(isEnded = false) {
  if (isLeaving) return;
  isLeaving = true;
  // Who goes on has the same realm; who signs out leaves nothing behind.
  const ended = isEnded ? `&ended=yes${shown ? `&realm=${encodeURIComponent(shown.realm)}` : ''}` : '';
  location.replace(`/sign-in?next=${encodeURIComponent(location.pathname)}${ended}${location.hash}`);
}

/** Nobody has signed out: the sign-in page says why it is there, and what was typed is there again afterwards. */
export function leaveAsEnded() {
  if (isLeaving) return;
  keepTyped();
  leave(true);
}

/** The session has ended: every tab leaves. */
export function leaveEverywhere() {
  channel.postMessage('signed-out');
  leave();
}
