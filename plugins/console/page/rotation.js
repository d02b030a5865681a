// When a key is replaced by itself: the policy of its rotation.

import { html, nothing } from '/console/lib/lit-html.js';
import { duration, durationField, durationIn } from './duration.js';
import { checkField, complaint, submits } from './form.js';
import { boolean, identifier, interval, memberOf, operate, structure } from './kmip.js';
import { tellDrawn } from './notice.js';

/** What is proposed. */
const YEAR_SECONDS = 365 * 86_400;

/** @param {import('./managed-object.js').ManagedObject} object @param {() => unknown} again */
export function rotationPart({ id, type, state, nodes }, again) {
  if (!['SymmetricKey', 'PrivateKey'].includes(type) || !['PreActive', 'Active'].includes(state)) return nothing;
  const seconds = Number(memberOf(nodes, 'RotateInterval') ?? 0);
  const isOn = memberOf(nodes, 'RotateAutomatic') === true && seconds > 0;
  const change = submits(async (data) => {
    const wanted = data.get('automatic') !== null;
    if (wanted) await set(id, interval('RotateInterval', durationIn(data, 'interval')));
    await set(id, boolean('RotateAutomatic', wanted));
    await tellDrawn(again, wanted ? 'The key is replaced regularly.' : 'The key is no longer replaced by itself.');
  });
  return html`<section class="card" aria-labelledby="rotation-title">
    <h2 id="rotation-title">Rotation</h2>
    <p class="faint">${isOn ? `A new key takes its place and its name every ${duration(seconds)}.` : 'It is replaced only when somebody rotates it.'}</p>
    <form class="inner" @submit=${change}>
      ${complaint()} ${checkField('automatic', 'Replace it regularly', { checked: isOn })} ${durationField('interval', 'Every', { seconds: seconds || YEAR_SECONDS })}
      <div class="actions"><button type="submit" class="quiet">Save</button></div>
    </form>
  </section>`;
}

/** @param {string} id @param {import('./kmip.js').Node} attribute */
const set = (id, attribute) => operate('SetAttribute', [identifier(id), structure('NewAttribute', [attribute])]);
