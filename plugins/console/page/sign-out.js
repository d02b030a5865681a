// Leaves when the session has ended, here and in every other tab of this browser.
import { keepTyped } from './typed.js';

const channel = new BroadcastChannel('gatehouse');
let isLeaving = false;
/** Of the session that this page was made for. @type {string | undefined} */
let shown;

channel.addEventListener('message', ({ data }) => {
  if (data === 'signed-out') leave();
  if (data === 'signed-in') leaveIfEnded();
});

/** Another tab, or the server, may have ended the session while nobody looked at this one. */
document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && leaveIfEnded());

/** @param {string} sessionId of the session that this page is made for */
export function followSession(sessionId) {
  shown = sessionId;
}

/** Leaves if the session has ended. If there is another one by now, the page is made anew: it says who is signed in, and what they may do. */
export async function leaveIfEnded() {
  if (isLeaving) return;
  const answer = await fetch('/sign-in/session', { cache: 'no-store' }).catch(() => undefined);
  if (!answer?.ok) return;
  const session = await answer.json();
  if (session === null) return leaveAsEnded();
  if (shown === undefined || session.session_id === shown || isLeaving) return;
  isLeaving = true;
  keepTyped();
  location.reload();
}

/** Goes to the sign-in page, which leads back here. What this page has shown is gone with it. */
export function leave(isEnded = false) {
  if (isLeaving) return;
  isLeaving = true;
  location.replace(`/sign-in?next=${encodeURIComponent(location.pathname)}${isEnded ? '&ended=yes' : ''}${location.hash}`);
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
