// Whose rows: each table has one owner, and no other file has SQL on it; others call functions that the owner exports, with their transaction.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { read, SOURCES } from './sources.ts';

/** The folder, or the file, that owns each table. */
const OWNERS: Readonly<Record<string, string>> = {
  account: 'kernel/store/accounts.ts',
  audit: 'kernel/store/',
  auth_usage: 'kernel/store/usage.ts',
  data_key: 'kernel/',
  data_key_generation: 'kernel/',
  migration: 'kernel/store/migrate.ts',
  node_lease: 'kernel/store/',
  admin: 'actors/directory/',
  admin_account: 'actors/directory/',
  admin_realm: 'actors/directory/',
  lockout: 'actors/directory/',
  lockout_nobody: 'actors/directory/',
  login_source: 'actors/directory/',
  proven_way: 'actors/directory/',
  realm: 'actors/directory/',
  signing_key: 'actors/directory/',
  totp: 'actors/directory/',
  userpass: 'actors/directory/',
  session: 'actors/session/',
  app_token: 'actors/token/',
  approle: 'actors/token/',
  cluster_role: 'actors/token/',
  secret_id: 'actors/token/',
  ai_base: 'actors/library/',
  ai_passage: 'actors/library/',
  ai_reference: 'actors/library/',
  ai_vectors: 'actors/library/',
  hsm_slot: 'actors/hsm/',
  kms_asynchronous: 'actors/kmip/',
  kms_attribute: 'actors/kmip/',
  kms_grant: 'actors/kmip/',
  kms_object: 'actors/kmip/',
  kms_policy: 'actors/kmip/',
  kms_reservation: 'actors/kmip/',
  kms_rewrapping: 'actors/kmip/',
  kms_ticket: 'actors/kmip/',
  kms_usage: 'actors/kmip/',
  kms_usage_room: 'actors/kmip/',
};

/** Of one migration, which drops it again or gives it the name of another. */
const TEMPORARY: ReadonlySet<string> = new Set(['kms_attribute_new', 'named_before']);

/** Files whose SQL gets the name of a table from elsewhere, each with where from. */
const COMPOSED: Readonly<Record<string, string>> = {
  'actors/directory/lockout.ts': 'one of two tables of the directory, which are written alike',
  'actors/kmip/object/rows/rows.ts': 'the two tables whose rows belong to an object',
  'kernel/backup/copy-target.ts': 'its own table, which a start looks for',
  'kernel/backup/insert.ts': 'the tables that the migrations make',
  'kernel/store/page.ts': 'the listing that its caller wrote, read as SQL here',
  'kernel/store/postgres-snapshot.ts': 'the tables that the migrations make',
  'kernel/store/row-insert.ts': 'the table that its caller owns',
  'kernel/store/snapshot.ts': 'the tables that the migrations make',
  'kernel/store/sweep.ts': 'the table that its caller owns',
  'kernel/store/usage.ts': 'the table of amounts that its caller owns',
  'plugins/auth/account-migration.ts': 'a subquery of the same migration',
};

/** Migrations make tables: the plugin's own, and what they keep in the kernel's. */
const MIGRATION = /^plugins\/[^/]+\/(?:.*[/-])?migrations?\.ts$|^kernel\/store\/migrate\.ts$/;

interface Naming {
  readonly file: string;
  readonly table: string;
}

/** Sources without comments: whole lines and blocks, which is where this house writes them. */
function codeOf(file: string): string {
  return read(file).replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '');
}

/** What stands where SQL has the name of a table; listings have it as a member. */
const PLACE = /\b(?:FROM|JOIN|INTO|UPDATE|TABLE(?: IF (?:NOT )?EXISTS)?)\s+(\w+|\$\{)|\b(?:from|table): '(\w+)'/g;

function namesIn(code: string): string[] {
  return [...code.matchAll(PLACE)].map(([, inSql, inListing]) => (inSql ?? inListing) as string);
}

function tablesMade(file: string): string[] {
  const code = codeOf(file);
  return [...code.matchAll(/CREATE TABLE (?:IF NOT EXISTS )?(\w+)|countingSql\('(\w+)'/g)].map(([, made, counted]) => (made ?? counted) as string);
}

const makers = new Map(SOURCES.filter((file) => MIGRATION.test(file)).flatMap((file) => tablesMade(file).map((table) => [table, file] as const)));
const namings: readonly Naming[] = SOURCES.flatMap((file) => namesIn(codeOf(file)).map((table) => ({ file, table })));

const folderOf = (file: string): string => file.split('/').slice(0, 2).join('/');

function mayName({ file, table }: Naming): boolean {
  if (file.startsWith(OWNERS[table] as string)) return true;
  const maker = makers.get(table) as string;
  return MIGRATION.test(file) && (maker.startsWith('kernel/') || folderOf(maker) === folderOf(file));
}

test('the scan finds names wherever SQL and listings have them', () => {
  const code =
    "SELECT a FROM one JOIN two ON x; INSERT INTO three; UPDATE four SET; DELETE FROM five; CREATE TABLE IF NOT EXISTS six; { from: 'seven' } { table: 'eight' } FROM " +
    '$' +
    '{it}';
  assert.deepEqual(namesIn(code), ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', '${']);
});

test('every table that a migration makes has an owner here, and every owner has SQL on its table', () => {
  assert.deepEqual([...makers.keys()].filter((table) => !TEMPORARY.has(table)).sort(), Object.keys(OWNERS).sort());
  const idle = Object.entries(OWNERS).filter(([table, owner]) => !namings.some((naming) => naming.table === table && naming.file.startsWith(owner)));
  // Whose names are given to SQL of the kernel, and of a file above.
  assert.deepEqual(idle.map(([table]) => table).sort(), ['auth_usage']);
});

test('a table is named by its owner and by migrations only; others call a function of the owner', () => {
  const strangers = namings.filter(({ table }) => table in OWNERS).filter((naming) => !mayName(naming));
  assert.deepEqual([...new Set(strangers.map(({ file, table }) => `${file}: ${table} belongs to ${OWNERS[table]}`))], []);
});

test('tables are joined by JOIN: the scan does not see one that stands behind a comma', () => {
  const behind = SOURCES.filter((file) => /\bFROM\s+\w+(?:\s+AS\s+\w+)?\s*,\s*\w/.test(codeOf(file)));
  assert.deepEqual(behind, []);
});

test('no SQL gets the name of its table from elsewhere, but in the files that say where from', () => {
  const files = [...new Set(namings.filter(({ table }) => table === '${').map(({ file }) => file))];
  assert.deepEqual(files, Object.keys(COMPOSED).sort());
});

test.run();
