// Leaves when the session has ended, here and in every other tab of this browser.
const channel = new BroadcastChannel('gatehouse');
let isLeaving = false;

channel.addEventListener('message', ({ data }) => {
  if (data === 'signed-out') leave();
});

/** Another tab, or the server, may have ended the session while nobody looked at this one. */
document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && leaveIfEnded());

/** Leaves if the session has ended. */
export async function leaveIfEnded() {
  if (isLeaving) return;
  const answer = await fetch('/sign-in/session', { cache: 'no-store' }).catch(() => undefined);
  if (answer?.ok && (await answer.json()) === null) leave();
}

/** Goes to the sign-in page, which leads back here. What this page has shown is gone with it. */
export function leave() {
  if (isLeaving) return;
  isLeaving = true;
  location.replace(`/sign-in?next=${encodeURIComponent(location.pathname)}${location.hash}`);
}

/** The session has ended: every tab leaves. */
export function leaveEverywhere() {
  channel.postMessage('signed-out');
  leave();
}
