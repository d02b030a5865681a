// The audit log: who did what, the newest first, with filters, page by page, and as a file.
import { html, nothing } from '/console/lib/lit-html.js';
import { get, query as queryOf } from './api.js';
import { save } from './bytes.js';
import { selectField, submits, textField, wordsOf } from './form.js';
import { nameField, nameIn } from './names.js';
import { tell } from './notice.js';
import { badge, empty, head, moment, pages, table } from './shown.js';

const PAGE = 50;
/** Rows of one export; what is older is for the API. */
const MAX_EXPORTED = 10_000;
const FILTERS = ['realm', 'event', 'actor', 'order'];
const COLUMNS = /** @type {const} */ (['time', 'event', 'outcome', 'realm', 'actor', 'target', 'reason', 'source', 'scheme', 'request_id']);

/** @param {import('./stage.js').Stage} stage */
export async function open(stage) {
  const { query, me } = stage;
  // Who administers some realms reads the log of one at a time.
  const realm = query.get('realm') ?? (me.is_super_admin ? '' : (me.realms[0] ?? ''));
  const filter = { realm, event: query.get('event') ?? '', actor: query.get('actor') ?? '', order: query.get('order') ?? 'newest' };
  const after = query.get('after') ?? '';
  const { events, next } = await get(`/audit?${queryOf({ ...filter, after, limit: PAGE })}`);
  const pageAt = (/** @type {string} */ cursor) => `#/audit?${queryOf({ ...filter, after: cursor })}`;
  const go = (/** @type {string} */ address) => {
    location.hash = address;
  };
  const rows = events.map((/** @type {any} */ row) => [
    moment(row.time),
    html`${row.event}${row.outcome === 'success' ? nothing : html` ${badge(row.outcome, row.outcome === 'refused' ? 'waiting' : 'bad')}`}`,
    html`<bdi>${row.actor ?? ''}</bdi>${row.realm === null ? nothing : html`<small>realm <bdi>${row.realm}</bdi></small>`}`,
    html`<bdi>${row.target ?? ''}</bdi>${row.reason === null ? nothing : html`<small><bdi>${row.reason}</bdi></small>`}`,
    html`<bdi>${row.source ?? ''}</bdi>`,
  ]);
  const exports = html`<button type="button" class="quiet" @click=${() => keep(filter, 'csv')}>Export CSV</button> <button type="button" class="quiet" @click=${() => keep(filter, 'jsonl')}>Export JSON lines</button>`;
  stage.show(
    'Audit',
    html`
      ${head('Audit', 'Who did what, when and from where. Each row is chained to the one before.', exports)} ${filterForm(filter, me)}
      ${rows.length === 0 ? empty('No events', 'Nothing that matches has happened.') : table('Events', ['Time', 'Event', 'Who', 'What', 'From'], rows)}
      ${pages(pageAt(''), pageAt(after), next ? pageAt(next) : undefined, go)}
    `,
  );
}

/** @param {Readonly<Record<string, string>>} filter @param {import('./stage.js').Me} me */
function filterForm(filter, me) {
  const search = submits((data) => {
    location.hash = `#/audit?${queryOf(Object.fromEntries(FILTERS.map((name) => [name, nameIn(data, name)])))}`;
  });
  const realm = me.is_super_admin
    ? textField('realm', 'Realm', { value: filter['realm'] ?? '', maxlength: 64 })
    : selectField(
        'realm',
        'Realm',
        me.realms.map((each) => /** @type {const} */ ([each, each])),
        { value: filter['realm'] ?? '' },
      );
  return html`<form class="filters" role="search" aria-label="Events" @submit=${search}>
    ${realm} ${textField('event', 'Event', { value: filter['event'] ?? '', maxlength: 255, placeholder: 'login' })} ${nameField('actor', 'Who', { value: filter['actor'] ?? '', maxlength: 255 })}
    ${selectField(
      'order',
      'Order',
      [
        ['newest', 'Newest first'],
        ['oldest', 'Oldest first'],
      ],
      { value: filter['order'] ?? '' },
    )}
    <div class="actions"><button type="submit">Search</button></div>
  </form>`;
}

/** @param {Readonly<Record<string, string>>} filter @param {'csv' | 'jsonl'} form */
async function keep(filter, form) {
  const rows = /** @type {any[]} */ ([]);
  let after = /** @type {string | null} */ ('');
  try {
    while (after !== null && rows.length < MAX_EXPORTED) {
      const { events, next } = /** @type {any} */ (await get(`/audit?${queryOf({ ...filter, after, limit: 1_000 })}`));
      rows.push(...events);
      after = next;
    }
  } catch (error) {
    return tell(wordsOf(error));
  }
  const text = form === 'jsonl' ? rows.map((row) => `${JSON.stringify(row)}\n`).join('') : csv(rows);
  save(`audit.${form}`, text, form === 'csv' ? 'text/csv' : 'application/jsonl');
  const more = after === null ? '' : ' There are more: narrow the search, or read them with the API.';
  tell(`${rows.length.toLocaleString()} events are in the file.${more}`);
}

/** RFC 4180. A cell that a spreadsheet would take for a formula begins with an apostrophe. @param {readonly any[]} rows */
function csv(rows) {
  const cell = (/** @type {unknown} */ value) =>
    `"${String(value ?? '')
      .replace(/^[=+\-@\t\r]/, "'$&")
      .replaceAll('"', '""')}"`;
  const line = (/** @type {any} */ row) => COLUMNS.map((name) => cell(name === 'time' ? new Date(row.time).toISOString() : row[name])).join(',');
  return `${[COLUMNS.join(','), ...rows.map(line)].join('\r\n')}\r\n`;
}
