// Icons of lines, drawn for this console on a grid of 24; they repeat what the text beside them says.
import { html, svg } from '/console/lib/lit-html.js';

/** @type {Readonly<Record<string, string>>} */
const PATHS = {
  overview: 'M4 11 12 4l8 7v9h-5v-6H9v6H4z',
  keys: 'M14.5 4.5a5 5 0 1 1-4.3 7.6L4 18.3V21h3v-2h2v-2h2l1.6-1.6M16 8h.01',
  anonymize: 'M3 10h18M6 10l1.5-5h9L18 10M7 18a3 3 0 1 0 0-6 3 3 0 0 0 0 6zm10 0a3 3 0 1 0 0-6 3 3 0 0 0 0 6zm-7-3h4',
  realms: 'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20c0-4 3-6 6.5-6s6.5 2 6.5 6M16 4.5a3.5 3.5 0 0 1 0 6.5M18 14.5c2 .8 3.500 2.700 3.500 5.500',
  admins: 'M12 3l7.500 3v5.500c0 4.500-3 8-7.500 9.500-4.500-1.500-7.500-5-7.500-9.500V6zM9 12l2.200 2.200L15.500 10',
  machines: 'M4 5h16v6H4zM4 13h16v6H4zM7.500 8h.01M7.500 16h.01M12 8h5M12 16h5',
  hsms: 'M7 7h10v10H7zM10 3v4M14 3v4M10 17v4M14 17v4M3 10h4M3 14h4M17 10h4M17 14h4',
  operations: 'M3 12h4l2.500-7 5 14 2.500-7h4',
  audit: 'M6 3h9l4 4v14H6zM15 3v4h4M9 12h7M9 16h7',
  account: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.500 20.500c0-4 3.500-6 7.500-6s7.500 2 7.500 6',
  page: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  menu: 'M4 7h16M4 12h16M4 17h16',
  plus: 'M12 5v14M5 12h14',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
};

/** @param {string} name */
export const icon = (name) =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${svg`<path d=${PATHS[name] ?? PATHS['page']} />`}</svg>`;
