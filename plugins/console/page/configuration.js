// The configuration in use: each key with its value and where it comes from. Only what differs from the defaults is open at first.
import { html } from '/console/lib/lit-html.js';
import { table } from './shown.js';

/** @typedef {{ key: string, value: unknown, source: string }} Setting */

const COLUMNS = ['Key', 'Value', 'From'];

/** @param {readonly Setting[]} settings */
export function configuration(settings) {
  const given = settings.filter(({ source }) => source !== 'default');
  const rest = settings.filter(({ source }) => source === 'default');
  return html`
    <h2>Configuration</h2>
    ${given.length === 0 ? html`<p>Every key has its default.</p>` : table('Configuration', COLUMNS, given.map(rowOf))}
    <details>
      <summary>${rest.length} keys with their defaults</summary>
      ${table('Defaults', COLUMNS, rest.map(rowOf))}
    </details>
  `;
}

/** @param {Setting} setting */
const rowOf = ({ key, value, source }) => [html`<code>${key}</code>`, html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`, source];
