// Who a caller is for the key server: each source of identity has a form of its own, and none can name another's users.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'uvu';
import { callerName } from '../../../actors/kmip/principal.ts';
import { validate } from '../../../kernel/config/validate.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Caller } from '../../../kernel/http/caller/credential.ts';
import { namingOf } from '../../../kernel/store/account-name.ts';
import { isUsername } from '../../../kernel/username.ts';
import { KEYS_CONFIG, type KeysConfig, keysProblems } from '../../../plugins/keys/config.ts';
import { principalOf } from '../../../plugins/keys/identity.ts';

const ALL = { realm: '', realms: ['*'] };
/** As the sign-in fixes them: of the first realm and the first user of their names. */
const accounts = (realm: string, username: string, scheme: string) => ({
  account: `${realm}/${scheme === 'up' ? '' : `${scheme}:`}${username}`,
  realmAccount: `${realm}/`,
});
const session = (realm: string, username: string, scheme = 'up'): Caller => ({
  ...{ credential: 'cookie', realm, username, scheme, sessionId: 's' },
  ...accounts(realm, username, scheme),
});
const certificate = (username: string): Caller => ({ credential: 'certificate', realm: '', username, scheme: 'cc' });
const token = (origin: string, username: string): Caller => ({
  ...{ credential: 'app-token', realm: '', username, scheme: 'token', origin },
  account: `${origin}:${username}`,
});
const bearer = (origin: string, username: string): Caller => ({
  ...{ credential: 'authorization', realm: '', username, scheme: 'jwt', origin },
  account: `idp:${origin}/${username.startsWith('sub:') ? '' : 'email:'}${username}`,
});
const userOf = (caller: Caller, config = ALL) => callerName(principalOf(config, caller, '192.0.2.1'));
const accountOf = (caller: Caller, config = ALL) => principalOf(config, caller, '192.0.2.1').user;

test('each source has its form', () => {
  assert.equal(userOf(certificate('owner@acme.com')), 'owner@acme.com');
  assert.equal(userOf(session('acme', 'alice')), 'acme/alice');
  assert.equal(userOf(session('acme', 'https://idp#7', 'jwt')), 'acme/jwt:https://idp#7');
  assert.equal(userOf(session('acme', 'ann', 'cc')), 'acme/cc:ann');
  assert.equal(userOf(bearer('corp', 'ada@acme.com')), 'jwt:corp/ada@acme.com');
  assert.equal(userOf(token('approle', 'backup')), 'approle:backup');
  assert.equal(userOf(token('cluster', 'blue/prod/web')), 'cluster:blue/prod/web');
  assert.equal(userOf(bearer('corp', 'sub:7')), 'jwt:corp/sub:7');
});

test('what belongs to somebody belongs to the account, and never to the name in its place', () => {
  const again: Caller = { ...session('acme', 'alice'), account: 'account:1', realmAccount: 'account:2/' };
  assert.deepEqual(principalOf(ALL, again, '192.0.2.1'), {
    user: 'account:1',
    name: 'acme/alice',
    realm: 'acme',
    realmAccount: 'account:2/',
    scheme: 'up',
    source: '192.0.2.1',
  });
  for (const caller of [session('acme', 'alice'), token('approle', 'backup'), bearer('corp', 'sub:7')]) {
    const { account: _account, ...nobody } = caller;
    assert.throws(() => principalOf(ALL, nobody as Caller, '192.0.2.1'), /no account/);
  }
});

test('the name that a caller is told is read as that caller', () => {
  for (const caller of [
    certificate('owner@acme.com'),
    session('acme', 'alice'),
    session('acme', 'https://idp#7', 'jwt'),
    session('acme', 'ann', 'cc'),
    bearer('corp', 'ada@acme.com'),
    bearer('corp', 'sub:ada@acme.com'),
    token('approle', 'backup'),
    token('cluster', 'blue/prod/web'),
  ]) {
    const naming = namingOf(userOf(caller));
    const read = naming?.kind === 'outside' ? naming.id : naming?.kind === 'role' ? naming.name : naming && naming.scope + naming.local;
    assert.equal(read, accountOf(caller));
  }
  for (const nobody of ['', 'account:1', 'idp:corp/sub:7', 'cluster:prod/web', 'cluster:a/b/c/d', 'approle:', 'approle:a/b', 'acme/', '/alice', 'a:b'])
    assert.equal(namingOf(nobody), undefined, nobody);
});

test('the realm is told for sessions only, with the scheme and the source', () => {
  assert.deepEqual(principalOf(ALL, session('acme', 'alice'), '2001:db8:1:2:3::9'), {
    user: 'acme/alice',
    realm: 'acme',
    scheme: 'up',
    source: '2001:db8:1:2::/64',
  });
  assert.deepEqual(principalOf(ALL, certificate('ann'), '::ffff:192.0.2.1'), { user: 'ann', scheme: 'cc', source: '192.0.2.1' });
});

test('password sessions of one realm may count as the bare name, those of other schemes and realms never', () => {
  const config = { realm: 'acme', realms: ['*'] };
  assert.equal(userOf(session('acme', 'alice'), config), 'alice');
  assert.equal(userOf(session('acme', 'alice', 'jwt'), config), 'acme/jwt:alice');
  assert.equal(userOf(session('acme', 'alice', 'cc'), config), 'acme/cc:alice');
  assert.equal(userOf(session('other', 'alice'), config), 'other/alice');
  // Callers without a realm are not of the realm that is not named.
  assert.equal(userOf(session('', 'alice'), ALL), '/alice');
});

test('only the realms listed may use the key server; other credentials have no realm', () => {
  const config = { realm: '', realms: ['acme'] };
  assert.equal(userOf(session('acme', 'alice'), config), 'acme/alice');
  for (const scheme of ['up', 'jwt', 'cc'])
    assert.throws(
      () => userOf(session('other', 'alice', scheme), config),
      (error: unknown) => error instanceof Fault && error.code === 'FORBIDDEN',
    );
  assert.throws(() => userOf(session('acme', 'alice'), { realm: '', realms: [] }));
  for (const caller of [certificate('ann'), token('approle', 'x'), bearer('corp', 'x')]) assert.ok(userOf(caller, config));
});

test('two callers that are not the same have different names, whatever a name is made of', () => {
  const part = fc.stringMatching(/^[A-Za-z0-9_-]{1,6}$/);
  /** What names may be like at their worst: with the separators of every form in them, as far as their own rule allows. */
  const hostile = fc.oneof(
    part,
    fc.constantFrom('jwt:a/b', 'approle:x', 'cluster:a/b', 'a/b', 'a/cc:b', '*', 'jwt', 'cc', 'approle'),
    fc.tuple(part, fc.constantFrom('/', ':'), part).map((parts) => parts.join('')),
  );
  const username = hostile.filter(isUsername);
  const roles = fc.stringMatching(/^[A-Za-z0-9_.-]{1,6}$/);
  const caller = fc.oneof(
    username.map((name) => certificate(name)),
    fc.tuple(part, username).map(([realm, name]) => session(realm, name)),
    fc.tuple(part, hostile).map(([realm, name]) => session(realm, name, 'jwt')),
    fc.tuple(part, username).map(([realm, name]) => session(realm, name, 'cc')),
    fc.tuple(part, hostile).map(([provider, name]) => bearer(provider, name)),
    roles.map((role) => token('approle', role)),
    fc.tuple(roles, roles, roles).map(([role, namespace, name]) => token('cluster', `${role}/${namespace}/${name}`)),
  );
  const key = ({ credential, realm, username: name, scheme, origin }: Caller) => JSON.stringify([credential, realm, name, scheme, origin]);
  fc.assert(
    fc.property(caller, caller, (a, b) => {
      assert.equal(userOf(a) === userOf(b), key(a) === key(b), `${key(a)} ${key(b)}`);
      assert.equal(accountOf(a) === accountOf(b), key(a) === key(b), `${key(a)} ${key(b)}`);
    }),
    { numRuns: 3_000 },
  );
});

const problemsOf = (section: unknown): readonly string[] => {
  const { value, problems } = validate(section, KEYS_CONFIG, 'keys');
  return problems.length > 0 ? problems : keysProblems(value as KeysConfig).map((problem) => `keys${problem}`);
};

test('what is wrong with the section is told with its place', () => {
  const provider = { name: 'corp', issuer: 'https://idp', jwks_uri: 'https://idp/jwks', audience: 'gatehouse' };
  assert.deepEqual(problemsOf({}), []);
  assert.deepEqual(problemsOf({ realm: 'acme', realms: ['acme', '_'], identity_providers: [provider] }), []);
  assert.deepEqual(problemsOf({ realm: 'a/b' }), ['keys.realm: not a valid realm name: use 1 to 64 letters, digits, _ and -']);
  assert.deepEqual(problemsOf({ realm: 'acme', realms: ['other'] }), ['keys.realm: acme is not in keys.realms: add it there']);
  assert.deepEqual(problemsOf({ realms: ['ok', 'not ok'] }), [
    'keys.realms[1]: not a valid realm name: use 1 to 64 letters, digits, _ and -, or "*" for all realms',
  ]);
  assert.deepEqual(problemsOf({ identity_providers: [provider, { ...provider, jwks_uri: 'http://idp/jwks' }] }), [
    'keys.identity_providers[1].name: another provider has the same name; each needs its own',
    'keys.identity_providers[1].issuer: another provider has the same issuer; each needs its own',
    'keys.identity_providers[1].jwks_uri: must be an https address, or an http address of this machine',
  ]);
  assert.deepEqual(
    problemsOf({ identity_providers: [{ name: 'a/b', issuer: 'i', jwks_uri: 'https://x' }] }).map((text) => text.split(': ')[0]),
    ['keys.identity_providers[0].audience', 'keys.identity_providers[0].name'],
  );
  assert.match(problemsOf({ wrapping_key: 'hsm::1::kek' }).join(), /^keys\.wrapping_key: unknown key \(known: realm, /);
  assert.equal(problemsOf({ default_unwrap_type: ['Secret'] }).length, 1);
});

test.run();
