// The tokens of a role by accessor: each with its end, revoked one by one.
import { html } from '/console/lib/lit-html.js';
import { ask } from './api.js';
import { askIn } from './dialog.js';
import { partPage } from './list-page.js';
import { tell } from './notice.js';
import { moment, table } from './shown.js';

/** Tokens on a page. */
const PAGE = 25;

/** @typedef {{ accessor: string, entity_id: string, creation_time: number, expire_time: string | null }} Token */

/**
 * @param {string} path of the role
 * @param {string | undefined} at address of the page; the first if undefined
 * @param {(at?: string) => unknown} again draws the view with this page
 */
export async function tokenPart(path, at, again) {
  const page = await partPage(`${path}/tokens?limit=${PAGE}`, at, (body) => body.data.tokens, again);
  const tokens = /** @type {readonly Token[]} */ (page.rows);
  const rows = tokens.map(({ accessor, entity_id: entity, creation_time: made, expire_time: end }) => [
    html`<code>${accessor}</code>`,
    html`<bdi>${entity}</bdi>`,
    moment(made * 1000),
    end === null ? 'Never' : moment(end),
    html`<button type="button" class="bare" aria-label="Revoke ${accessor}" @click=${() => revoke(path, accessor, () => again(at))}>Revoke</button>`,
  ]);
  return html`<section class="card" aria-labelledby="tokens-title">
    <h2 id="tokens-title">Tokens</h2>
    ${rows.length === 0 ? html`<p class="faint">No token of this role is good now.</p>` : table('Tokens', ['Accessor', 'Of', 'Issued', 'Ends', ''], rows)}
    ${page.around}
  </section>`;
}

/** @param {string} path @param {string} accessor @param {() => unknown} again */
async function revoke(path, accessor, again) {
  const work = async () => {
    await ask('POST', `${path}/tokens/revoke`, { accessor });
    tell('The token is revoked.');
  };
  const body = html`<p>The program that holds the token with accessor <code>${accessor}</code> must sign in again.</p>`;
  if (await askIn({ title: 'Revoke this token?', body, verb: 'Revoke', danger: true, work })) await again();
}
