// The views of the console by the first part of their address, and who sees them in the navigation.

/** @typedef {import('./stage.js').Me} Me */
/**
 * @typedef {object} Entry
 * @property {string} [label] in the navigation; what has none is reached from others
 * @property {string} [under] the view that the navigation marks instead
 * @property {number} [params] how many parts its address has behind the name; none
 * @property {(me: Me) => boolean} [isFor] the server refuses all others too
 * @property {() => Promise<import('./stage.js').View>} load
 */

const keyUsers = (/** @type {Me} */ { user }) => user !== undefined;

const administrators = (/** @type {Me} */ { realms }) => realms.length > 0;
const superAdmins = (/** @type {Me} */ me) => me.is_super_admin;

/** @type {Readonly<Record<string, Entry>>} */
export const VIEWS = {
  '': { label: 'Overview', load: () => import('./home.js') },
  keys: { label: 'Keys', isFor: keyUsers, load: () => import('./keys.js') },
  'new-key': { under: 'keys', isFor: keyUsers, load: () => import('./new-key.js') },
  'import-key': { under: 'keys', isFor: keyUsers, load: () => import('./import-key.js') },
  key: { under: 'keys', params: 1, isFor: keyUsers, load: () => import('./key.js') },
  anonymize: { label: 'Anonymization', load: () => import('./anonymize.js') },
  realms: { label: 'Realms and people', isFor: administrators, load: () => import('./realms.js') },
  realm: { under: 'realms', params: 1, isFor: administrators, load: () => import('./realm.js') },
  person: { under: 'realms', params: 2, isFor: administrators, load: () => import('./person.js') },
  admins: { label: 'Administrators', isFor: superAdmins, load: () => import('./admins.js') },
  machines: { label: 'Machines', isFor: superAdmins, load: () => import('./machines.js') },
  machine: { under: 'machines', params: 2, isFor: superAdmins, load: () => import('./machine.js') },
  hsms: { label: 'HSMs', load: () => import('./hsms.js') },
  operations: { label: 'Operations', isFor: superAdmins, load: () => import('./operations.js') },
  audit: { label: 'Audit', isFor: administrators, load: () => import('./audit.js') },
  account: { label: 'Your account', load: () => import('./account.js') },
};

/** Pages of the server that the frame stands around too. */
export const PAGES = [
  ['/ai', 'AI runner'],
  ['/interactive-docs', 'API'],
];

/** The groups of the navigation. @type {readonly (readonly [string, readonly string[]])[]} */
export const GROUPS = [
  ['Work', ['', 'keys', 'anonymize']],
  ['People and machines', ['realms', 'admins', 'machines']],
  ['Server', ['hsms', 'operations', 'audit']],
  ['You', ['account']],
];
