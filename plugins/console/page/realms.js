// The realms that the caller administers, and a new one.
import { html, nothing } from '/console/lib/lit-html.js';
import { ask, part } from './api.js';
import { askIn } from './dialog.js';
import { duration } from './duration.js';
import { textField, textIn } from './form.js';
import { icon } from './icons.js';
import { namesPage } from './list-page.js';
import { tell } from './notice.js';
import { empty, head, table } from './shown.js';

/** @param {import('./stage.js').Stage} stage */
export async function open(stage) {
  const { body: realms, around, search, isSearch } = await namesPage('/admins/realms', 'realms', stage.query, 'Name begins with');
  const add = stage.me.is_super_admin ? html`<button type="button" @click=${() => makeRealm()}>${icon('plus')}Make a realm</button>` : nothing;
  const rows = realms.map((/** @type {any} */ realm) => [
    html`<a href="#/realm/${part(realm.id)}"><bdi>${realm.id}</bdi></a>`,
    waysOf(realm.auth_params),
    duration(realm.session_max_age_seconds),
    duration(realm.session_max_stale_age_seconds),
  ]);
  stage.show(
    'Realms and people',
    html`
      ${head('Realms and people', 'A realm holds people, and says how they sign in and for how long.', add)}
      ${search}
      ${rows.length === 0 ? empty('No realms', isSearch ? 'No name begins so. Upper and lower case count.' : 'You administer none.') : table('Realms', ['Realm', 'Sign-in', 'Sessions end after', 'or unused for'], rows)}
      ${around}
    `,
  );
}

/** @param {any} params */
function waysOf(params) {
  const isByPassword = params.username_password_params?.enabled !== false;
  const providers = params.jwt_params?.idp_params?.length ?? 0;
  return (
    [isByPassword ? 'password' : '', providers > 0 ? `JWT of ${providers} provider${providers === 1 ? '' : 's'}` : ''].filter(Boolean).join(', ') ||
    'certificate only'
  );
}

async function makeRealm() {
  const body = html`${textField('id', 'Name', { id: 'realm-id', required: true, maxlength: 64, pattern: '[A-Za-z0-9_\\-]+', title: 'Letters, digits, _ and -' })}
    ${textField('hours', 'Sessions end after … hours', { id: 'realm-hours', type: 'number', min: '1', max: '8760', required: true, value: '8' })}`;
  const work = async (/** @type {FormData} */ data) => {
    const seconds = Number(textIn(data, 'hours')) * 3_600;
    await ask('POST', '/admins/realms', {
      id: textIn(data, 'id'),
      auth_params: {},
      session_max_age_seconds: seconds,
      session_max_stale_age_seconds: Math.min(seconds, 3_600),
    });
    tell('The realm is made.');
    location.hash = `#/realm/${part(textIn(data, 'id'))}`;
  };
  await askIn({ title: 'Make a realm', body, verb: 'Make it', work });
}
