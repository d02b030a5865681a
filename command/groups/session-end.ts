// `gatehouse logout` and `gatehouse whoami`: the end of the session of the profile, and who it is.
import { command } from '../command.ts';
import { EXIT, exitOf } from '../exit.ts';
import { readProfile, writeProfile } from '../profile.ts';

export const logout = command({
  name: 'logout',
  about: 'End the session of the profile, or revoke its app token',
  example: 'gatehouse logout',
  async run(given) {
    const { cookie, session, token, ...rest } = readProfile(given.profile);
    try {
      if (session !== undefined) await given.client().call('DELETE /sessions', { body: { session_ids: [session] } });
      else if (token !== undefined) await given.client().call('POST /auth/token/revoke-self');
    } catch (error) {
      // It has ended before.
      if (exitOf(error) !== EXIT.unauthenticated) throw error;
    }
    // The trust in the server's certificate stays for the next sign-in.
    writeProfile(given.profile, rest);
    given.out.done('Signed out');
  },
});

export const whoami = command({
  name: 'whoami',
  about: 'Show who you are for the server, and until when',
  example: 'gatehouse whoami',
  async run(given) {
    const { cookie, address } = readProfile(given.profile);
    const me = await given.client().call('GET /me');
    const claims = cookie === undefined ? undefined : await given.client().call('GET /whoami');
    given.out.record({ ...me, address, ...(claims && { roles: claims.roles, expires: new Date(claims.exp * 1000).toISOString() }) });
  },
});
