// What a server that has been used leaves in its data folder, and the check that a later version has all of it.
import assert from 'node:assert/strict';
import { firstSteps, opensAgain, PASSWORD, type Sealed } from '../packages/story.ts';
import { docx, form } from '../plugins/ai/files.ts';
import type { Ask } from '../server.ts';

/** What its users know. Nothing of it ends with time. */
export interface Left {
  readonly sealed: Sealed;
  readonly role_id: string;
  readonly secret_id: string;
  /** Rows of the audit log. */
  readonly audited: number;
}

const USER = { username: 'ada', password_input: { plaintext: 'ada own password' }, roles: ['staff'] };
const CHAPTER = ['# The harbour', 'The watchman counts the boats at night.'];

export async function live(ask: Ask, initialPassword: string): Promise<Left> {
  const sealed = await firstSteps(ask, initialPassword);
  const { cookie } = await ask('POST', '/login?realm=_', { user: `admin:${PASSWORD}` });
  assert.ok(cookie);
  const succeeds = async (...[method, path, options]: Parameters<Ask>) => {
    const answer = await ask(method, path, { ...options, cookie });
    assert.ok(answer.status < 300, `${path}: ${answer.text}`);
    return answer.body;
  };
  await succeeds('POST', '/admins/realms', { body: { id: 'team', auth_params: {} } });
  await succeeds('POST', '/realms/team/userpass', { body: USER });
  await succeeds('POST', '/auth/approle/role/web', { body: {} });
  const { role_id } = (await succeeds('GET', '/auth/approle/role/web/role-id')).data;
  const { secret_id } = (await succeeds('POST', '/auth/approle/role/web/secret-id')).data;
  await succeeds('POST', '/add_reference', await form({ db: 'documents', reference: 'book' }, { name: 'book.docx', bytes: await docx(CHAPTER) }));
  return { sealed, role_id, secret_id, audited: (await succeeds('GET', '/audit?limit=1000')).events.length };
}

/** Keys open what they sealed, people and machines sign in, documents are found, the audit log goes on. */
export async function checkLeft(ask: Ask, { sealed, role_id, secret_id, audited }: Left): Promise<void> {
  await opensAgain(ask, sealed);
  assert.equal((await ask('POST', '/login?realm=team', { user: `${USER.username}:${USER.password_input.plaintext}` })).body.next_step, 'Authenticated');
  const machine = await ask('POST', '/auth/approle/login', { body: { role_id, secret_id } });
  assert.equal(machine.status, 200, machine.text);
  const { cookie } = await ask('POST', '/login?realm=_', { user: `admin:${PASSWORD}` });
  const found = await ask('POST', '/rag_predict', { cookie: cookie as string, ...(await form({ db: 'documents', query: 'Who counts the boats?' })) });
  assert.match(found.text, /watchman/);
  const events = (await ask('GET', '/audit?limit=1000', { cookie: cookie as string })).body.events as { event: string; outcome: string }[];
  // Rows are kept for a year: later there are only those of this start.
  assert.ok(events.length > 0 && (events.length > audited || !events.some(({ event }) => event === 'realm.create')), `${events.length} rows of ${audited}`);
}
