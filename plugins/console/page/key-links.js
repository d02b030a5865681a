// The relatives of a key: its pair, its certificate, what wraps it, and the chain of rotations that it is part of.
import { html, nothing } from '/console/lib/lit-html.js';
import { describe, describeAll } from './managed-object.js';
import { stateBadge } from './shown.js';

const WORDS = /** @type {Readonly<Record<string, string>>} */ ({
  PublicKeyLink: 'Its public key',
  PrivateKeyLink: 'Its private key',
  CertificateLink: 'Its certificate',
  WrappingKeyLink: 'Wrapped by',
  DerivationBaseObjectLink: 'Derived from',
  DerivedKeyLink: 'Derived from it',
  ParentLink: 'Parent',
  ChildLink: 'Child',
});
const BEFORE = 'ReplacedObjectLink';
const AFTER = 'ReplacementObjectLink';
/** Steps that are read in each direction. */
const MAX_STEPS = 4;

/** @typedef {import('./managed-object.js').ManagedObject} ManagedObject */

/** @param {ManagedObject} object */
export async function linkList(object) {
  const others = object.links.filter(({ type }) => type !== BEFORE && type !== AFTER);
  const [before, after, related] = await Promise.all([walk(object, BEFORE), walk(object, AFTER), describeAll(others.map(({ to }) => to))]);
  const chain = [...before.toReversed(), object, ...after];
  if (chain.length === 1 && others.length === 0) return nothing;
  return html`<section class="card" aria-labelledby="links-title">
    <h2 id="links-title">Relatives</h2>
    ${chain.length === 1 ? nothing : html`<h3>Rotations</h3><ol class="chain">${chain.map((each) => html`<li>${box(each, each === object ? 'This key' : '')}</li>`)}</ol>`}
    ${others.length === 0 ? nothing : html`<ul class="relatives">${others.map(({ type, to }) => html`<li>${relative(type, to, related)}</li>`)}</ul>`}
  </section>`;
}

/** @param {string} type @param {string} to @param {readonly ManagedObject[]} related those that the caller may see */
function relative(type, to, related) {
  const found = related.find(({ id }) => id === to);
  const words = WORDS[type] ?? type;
  return found ? box(found, words) : html`<span class="box"><small>${words}</small><code>${to}</code></span>`;
}

/** @param {ManagedObject} object @param {string} words */
function box(object, words) {
  const { id, title, kind, dates } = object;
  const made = (dates['InitialDate'] ?? '').slice(0, 10);
  const inside = html`<small>${words || made}</small><bdi>${title}</bdi><span>${kind} ${stateBadge(object)}</span>`;
  return words === 'This key'
    ? html`<span class="box this" aria-current="true">${inside}</span>`
    : html`<a class="box" href="#/key/${encodeURIComponent(id)}">${inside}</a>`;
}

/** @param {ManagedObject} from @param {string} type @returns {Promise<ManagedObject[]>} in the order in which they are met */
async function walk(from, type) {
  const met = /** @type {ManagedObject[]} */ ([]);
  let at = from;
  while (met.length < MAX_STEPS) {
    const link = at.links.find((each) => each.type === type);
    if (!link) return met;
    try {
      at = await describe(link.to);
    } catch {
      // It is gone, or somebody else's.
      return met;
    }
    met.push(at);
  }
  return met;
}
