// The page of a key: what it is, its life, its relatives, who may use it, how it is replaced, and how it ends.

import { html, nothing } from '/console/lib/lit-html.js';
import { grantPart } from './grants.js';
import { actionsOf } from './key-actions.js';
import { linkList } from './key-links.js';
import { memberOf } from './kmip.js';
import { lifeLine } from './life-line.js';
import { allowedOn, describe, usagesOf } from './managed-object.js';
import { rotationPart } from './rotation.js';
import { copied, factList, head, moment, stateBadge, tagList } from './shown.js';
import { editTags } from './tags.js';
import { tryOutPart } from './try-out.js';

/** What the page offers; `create` cannot be granted on an object, so only its owner has it. */
const OPERATIONS = [
  'create',
  'encrypt',
  'decrypt',
  'sign',
  'signatureverify',
  'mac',
  'macverify',
  'activate',
  'rekey',
  'rekeykeypair',
  'revoke',
  'destroy',
  'recover',
  'export',
  'addattribute',
  'setattribute',
];

/** @param {import('./stage.js').Stage} stage */
export async function open(stage) {
  const id = stage.params[0] ?? '';
  const [object, may] = await Promise.all([describe(id), allowedOn(id, OPERATIONS)]);
  const isOwner = may['create'] === true;
  const again = () => open(stage);
  const grants = isOwner ? await grantPart(stage, object) : nothing;
  const links = await linkList(object);
  const template = html`
    <p class="trail"><a href="#/keys">Keys</a></p>
    ${head(html`<bdi>${object.title}</bdi>`, html`${stateBadge(object)} ${object.typeName}, ${object.kind}${object.isArchived ? '. It can be used and changed when it is recovered.' : ''}`, actionsOf(object, may, isOwner, again))}
    <div class="parts">
      <section class="card" aria-labelledby="facts-title">
        <h2 id="facts-title">Attributes</h2>
        ${facts(object, isOwner, again)}
      </section>
      <section class="card" aria-labelledby="life-title"><h2 id="life-title">Life</h2>${lifeLine(object)}</section>
      ${object.isArchived ? nothing : tryOutPart(object, may)}
      ${links}
      ${grants}
      ${isOwner && !object.isArchived ? rotationPart(object, again) : nothing}
    </div>
  `;
  stage.show(object.title, template);
}

/** @param {import('./managed-object.js').ManagedObject} object @param {boolean} isOwner @param {() => unknown} again */
function facts(object, isOwner, again) {
  const { id, place, tags, mask, dates, nodes } = object;
  const edit =
    isOwner && !object.isArchived
      ? html`<button type="button" class="bare" @click=${() => editTags(object, again)}>Change<span class="visually-hidden"> the tags</span></button>`
      : nothing;
  const yes = (/** @type {string} */ tag) => ({ true: 'yes', false: 'no' })[String(memberOf(nodes, tag))];
  const reason = memberOf(nodes, 'RevocationReason') ?? [];
  return factList([
    ['Identifier', copied(id, 'Identifier')],
    ['Where', place],
    ['May be used to', usagesOf(mask).join(', ')],
    ['Tags', html`${tagList(tags)} ${edit}`],
    ['May leave the server', yes('Extractable')],
    ['Only wrapped', yes('Sensitive')],
    ['Format', memberOf(nodes, 'KeyFormatType')],
    ['Fingerprint', fingerprint(nodes)],
    ['Reason of the end', [memberOf(reason, 'RevocationReasonCode'), memberOf(reason, 'RevocationMessage')].filter(Boolean).join(': ')],
    ['Last change', moment(dates['LastChangeDate'])],
  ]);
}

/** @param {readonly import('./kmip.js').Node[]} nodes */
function fingerprint(nodes) {
  const digest = memberOf(nodes, 'Digest');
  if (!digest) return undefined;
  const text = `${String(memberOf(digest, 'HashingAlgorithm')).replaceAll('_', '-')} ${String(memberOf(digest, 'DigestValue')).slice(0, 16).toLowerCase()}…`;
  return html`<code>${text}</code>`;
}
