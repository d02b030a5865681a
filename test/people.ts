// Realms, admins and users for tests, made through the API as an operator would make them.
import assert from 'node:assert/strict';
import { Secret, TOTP } from 'otpauth';
import type { Answer, TestServer } from './server.ts';

export interface People {
  readonly server: TestServer;
  /** Session cookie of the super admin. */
  readonly root: string;
  realm(id: string, members?: Record<string, unknown>): Promise<void>;
  user(realm: string, username: string, password: string, members?: Record<string, unknown>): Promise<void>;
  /** A user of the realm who administers it. @returns the session cookie */
  realmAdmin(realm: string, username: string, realms?: readonly string[]): Promise<string>;
  signIn(realm: string, username: string, password: string, body?: Record<string, unknown>): Promise<Answer>;
  /** @returns the session cookie */
  session(realm: string, username: string, password: string): Promise<string>;
  /** Enrols a second factor. @returns what makes its codes */
  enrol(realm: string, username: string, cookie: string): Promise<TOTP>;
  /** The code of this moment, or of some steps later. */
  code(totp: TOTP, steps?: number): string;
}

export function people(server: TestServer, root: string): People {
  const ok = (answer: Answer, status: number) => assert.equal(answer.status, status, answer.text);
  const self: People = {
    server,
    root,
    async realm(id, members = {}) {
      ok(await server.ask('POST', '/admins/realms', { cookie: root, body: { id, auth_params: {}, ...members } }), 201);
    },
    async user(realm, username, plaintext, members = {}) {
      ok(await server.ask('POST', `/realms/${realm}/userpass`, { cookie: root, body: { username, password_input: { plaintext }, ...members } }), 201);
    },
    async realmAdmin(realm, username, realms = [realm]) {
      await self.user(realm, username, `${username} password`);
      ok(await server.ask('POST', '/admins', { cookie: root, body: { id: `${realm}-${username}`, realms, userpass: username } }), 201);
      return self.session(realm, username, `${username} password`);
    },
    signIn: (realm, username, password, body) => server.ask('POST', `/login?realm=${realm}`, { user: `${username}:${password}`, ...(body ? { body } : {}) }),
    async session(realm, username, password) {
      const answer = await self.signIn(realm, username, password);
      assert.equal(answer.body?.next_step, 'Authenticated', answer.text);
      return answer.cookie as string;
    },
    async enrol(realm, username, cookie) {
      const generated = await server.ask('POST', `/realms/${realm}/totp/generate`, { cookie, body: { username, issuer: 'tests' } });
      ok(generated, 200);
      const url = new URL(generated.body.otpauth_url);
      const totp = new TOTP({
        secret: Secret.fromBase32(generated.body.secret_base32),
        algorithm: url.searchParams.get('algorithm') ?? 'SHA1',
        period: Number(url.searchParams.get('period')),
        digits: 6,
      });
      ok(
        await server.ask('POST', `/realms/${realm}/totp/verify`, {
          cookie,
          body: { username, token: self.code(totp), secret: generated.body.secret_base32, issuer: 'tests' },
        }),
        200,
      );
      return totp;
    },
    code: (totp, steps = 0) => totp.generate({ timestamp: server.clock.now() + steps * totp.period * 1000 }),
  };
  return self;
}
