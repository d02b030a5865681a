// The views of the console by the first part of their address, and who sees them in the navigation.

/** @typedef {import('./stage.js').Me} Me */
/**
 * @typedef {object} Entry
 * @property {string} [label] in the navigation; what has none is reached from others
 * @property {string} [under] the view that the navigation marks instead
 * @property {(me: Me) => boolean} [isFor] the server refuses all others too
 * @property {() => Promise<import('./stage.js').View>} load
 */

const keyUsers = (/** @type {Me} */ { user }) => user !== undefined;

/** @type {Readonly<Record<string, Entry>>} */
export const VIEWS = {
  '': { label: 'Overview', load: () => import('./home.js') },
  keys: { label: 'Keys', isFor: keyUsers, load: () => import('./keys.js') },
  'new-key': { under: 'keys', isFor: keyUsers, load: () => import('./new-key.js') },
  key: { under: 'keys', isFor: keyUsers, load: () => import('./key.js') },
};

/** Pages of the server with a frame of their own. */
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
