// One operator's stream of mixed writes in a realm of their own, each told to the ledger with all that it changes.
import { Secret, TOTP } from 'otpauth';
import type { Answer, Ask } from '../server.ts';
import { type Change, type Ledger, type Place, summary } from './ledger.ts';

interface User {
  readonly name: string;
  roles: string[];
  totp: boolean;
  readonly sessions: Map<string, Place>;
  admin: Admin | undefined;
}

interface Admin {
  readonly id: string;
  realms: string[];
  certificate: string | null;
}

export interface Writer {
  readonly ask: Ask;
  readonly root: string;
  readonly ledger: Ledger;
  readonly realm: string;
  /** PHC string that credentials are made with, and its password. */
  readonly phc: string;
  readonly password: string;
}

const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(Math.random() * from.length)];

/** Writes until the server does not answer any more. */
export async function writeOn(writer: Writer): Promise<void> {
  const { ask, root, ledger, realm, phc, password } = writer;
  const users = new Map<string, User>();
  /** Users whose credential is gone and whose admin record is not. */
  const bereft: User[] = [];
  let made = 0;
  const send = (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) => () =>
    ask(method, path, { cookie: root, ...(body === undefined ? {} : { body }) });
  const known = (write: () => Promise<Answer>, changes: readonly Change[]) => ledger.write(write, () => changes, changes);
  const realmPlace = { path: `/admins/realms/${realm}` };
  const place = ({ name }: User): Place => ({ path: `/realms/${realm}/userpass/${name}` });
  const userChange = (user: User, roles: string[]): Change => ({ place: place(user), to: summary({ roles }) });
  const sessionsGo = (user: User): Change[] => [...user.sessions.values()].map((session) => ({ place: session, to: null }));
  const adminChange = (user: User, { id, realms, certificate }: Admin, totp = user.totp): Change => ({
    place: { path: `/admins/${id}` },
    to: summary({ realms, client_certificate: certificate, totp_enabled: totp && realms.includes(realm) }),
  });
  const adminBody = ({ name }: User, { id, realms, certificate }: Admin) => ({ id, realms, userpass: name, client_certificate: certificate });
  const createRealm = () => known(send('POST', '/admins/realms', { id: realm }), [{ place: realmPlace, to: summary({ session_max_age_seconds: 3_600 }) }]);

  const onUser: Readonly<Record<string, (user: User) => Promise<Answer | undefined>>> = {
    async update(user) {
      const roles = [`role ${++made}`];
      const answer = await known(send('PUT', place(user).path, { roles }), [userChange(user, roles), ...sessionsGo(user)]);
      user.roles = roles;
      user.sessions.clear();
      return answer;
    },
    async remove(user) {
      const gone = [{ place: place(user), to: null }, ...sessionsGo(user)];
      users.delete(user.name);
      if (user.admin) bereft.push(user);
      return known(send('DELETE', place(user).path), user.admin ? [...gone, adminChange(user, user.admin, false)] : gone);
    },
    async appoint(user) {
      const admin = user.admin ?? { id: `${realm}.${user.name}`, realms: [realm], certificate: null };
      const changed = user.admin ? { ...admin, certificate: `certificate ${++made}` } : admin;
      const write = user.admin ? send('PUT', `/admins/${admin.id}`, adminBody(user, changed)) : send('POST', '/admins', adminBody(user, admin));
      user.admin = changed;
      return known(write, [adminChange(user, changed)]);
    },
    async member(user) {
      if (!user.admin) return onUser['appoint']?.(user);
      const { id, realms } = user.admin;
      user.admin = { ...user.admin, realms: realms.length > 0 ? [] : [realm] };
      return known(send(realms.length > 0 ? 'DELETE' : 'PUT', `/admins/${id}/realms/${realm}`), [adminChange(user, user.admin)]);
    },
    async dismiss(user) {
      if (!user.admin) return onUser['appoint']?.(user);
      const goes = user.admin.realms.includes(realm);
      const changes: Change[] = [{ place: { path: `/admins/${user.admin.id}` }, to: null }];
      if (goes) changes.push({ place: place(user), to: null }, ...sessionsGo(user));
      const answer = await known(send('DELETE', `/admins/${user.admin.id}`), changes);
      if (goes) users.delete(user.name);
      user.admin = undefined;
      return answer;
    },
    async login(user) {
      if (user.totp) return onUser['update']?.(user);
      const opened = ({ cookie }: Answer): Change => ({ place: { path: '/whoami', cookie: cookie as string }, to: summary({ sub: user.name }) });
      const answer = await ledger.write(
        () => ask('POST', `/login?realm=${realm}`, { user: `${user.name}:${password}` }),
        (answered) => [opened(answered)],
      );
      if (answer) user.sessions.set(answer.body.session_id, opened(answer).place);
      return answer;
    },
    async logout(user) {
      const id = [...user.sessions.keys()][0];
      if (id === undefined) return onUser['login']?.(user);
      const session = user.sessions.get(id) as Place;
      user.sessions.delete(id);
      return known(send('DELETE', '/sessions', { session_ids: [id] }), [{ place: session, to: null }]);
    },
    async enrol(user) {
      const admin = user.admin;
      if (!admin) return onUser['appoint']?.(user);
      const secret = new Secret({ size: 20 });
      const token = new TOTP({ secret, digits: 6, period: 30 }).generate();
      user.totp = true;
      const body = { username: user.name, issuer: 'x', secret: secret.base32, token };
      return known(send('POST', `/realms/${realm}/totp/verify`, body), [adminChange(user, admin)]);
    },
  };

  const create = () => {
    const user: User = { name: `u${++made}`, roles: [], totp: false, sessions: new Map(), admin: undefined };
    users.set(user.name, user);
    return known(send('POST', `/realms/${realm}/userpass`, { username: user.name, password_input: { hashed: phc } }), [userChange(user, [])]);
  };
  const ageRealm = () => {
    const age = 3_600 + ++made;
    return known(send('PUT', `/admins/realms/${realm}`, { session_max_age_seconds: age }), [
      { place: realmPlace, to: summary({ session_max_age_seconds: age }) },
    ]);
  };
  /** With it go its credentials, their sessions, and its place in the lists of admins. */
  const dropRealm = () => {
    const changes: Change[] = [{ place: realmPlace, to: null }];
    for (const user of users.values()) {
      changes.push({ place: place(user), to: null }, ...sessionsGo(user));
      if (user.admin) changes.push(adminChange(user, { ...user.admin, realms: [] }));
    }
    for (const user of bereft.splice(0)) changes.push(adminChange(user, { ...(user.admin as Admin), realms: [] }, false));
    users.clear();
    return known(send('DELETE', `/admins/realms/${realm}`), changes);
  };

  let alive = (await createRealm()) !== undefined;
  while (alive) {
    const chance = Math.random();
    const user = pick([...users.values()]);
    if (chance < 0.02) alive = (await dropRealm()) !== undefined && (await createRealm()) !== undefined;
    else if (chance < 0.07) alive = (await ageRealm()) !== undefined;
    else if (chance < 0.35 || !user) alive = (await create()) !== undefined;
    else alive = (await onUser[pick(Object.keys(onUser)) as string]?.(user)) !== undefined;
  }
}
