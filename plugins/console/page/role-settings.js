// The settings of a role of machines in words, each with its unit.
import { html } from '/console/lib/lit-html.js';
import { duration } from './duration.js';
import { factList } from './shown.js';

/** @typedef {(value: any) => unknown} Told */

/** @param {string} none said for 0 @returns {Told} */
const limited = (none) => (seconds) => (seconds === 0 ? none : duration(seconds));

/** @type {Told} */
const names = (/** @type {string[]} */ given) => (given.length === 0 ? 'None' : html`<bdi>${given.join(', ')}</bdi>`);

/** @type {Told} */
const anywhere = (/** @type {string[]} */ networks) => (networks.length === 0 ? 'Anywhere' : names(networks));

/** @type {Told} */
const number = (/** @type {number} */ uses) => (uses === 0 ? 'No limit' : uses.toLocaleString());

/** @type {Told} */
const text = (given) => html`<bdi>${given}</bdi>`;

/** @type {Told} */
const yes = (given) => (given ? 'Yes' : 'No');

/** @type {Readonly<Record<string, readonly [label: string, told: Told]>>} */
const SETTINGS = {
  jwks_url: ['Keys of the cluster', text],
  expected_issuer: ['Issuer', text],
  bound_service_account_namespaces: ['Namespaces', names],
  bound_service_account_names: ['Service accounts', names],
  bound_audiences: ['Audiences', names],
  token_ttl: ['Tokens last', limited('As long as it is not revoked')],
  token_renewable: ['Can be renewed', yes],
  token_max_ttl: ['In all, at most', limited('No limit')],
  token_num_uses: ['Requests of a token', number],
  token_bound_cidrs: ['Tokens are used from', anywhere],
  token_policies: ['Policies', names],
  secret_id_ttl: ['Secret ids last', limited('No limit')],
  secret_id_num_uses: ['Uses of a secret id', number],
  secret_id_bound_cidrs: ['Secret ids are used from', anywhere],
  bind_secret_id: ['Needs a secret id', yes],
};

/** @param {Readonly<Record<string, unknown>>} role as the server describes it @param {readonly (readonly [string, unknown])[]} first facts before the settings */
export function settingList(role, first = []) {
  const known = Object.entries(SETTINGS).flatMap(([key, [label, told]]) => (key in role ? [/** @type {const} */ ([label, told(role[key])])] : []));
  // What a newer server says besides is shown as it is.
  const others = Object.entries(role).flatMap(([key, value]) => (key in SETTINGS ? [] : [/** @type {const} */ ([key, text(String(value))])]));
  return factList([...first, ...known, ...others]);
}
