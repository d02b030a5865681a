// What is wrong with a disk that takes no bytes, in the same words wherever the server and its commands write.
import { constants } from 'node:os';

interface Trouble {
  readonly says: string;
  /** Of Node. */
  readonly codes: readonly string[];
  /** Node has no name for some numbers of the system: EDQUOT comes as `Unknown system error -122`. */
  readonly errno?: number;
  /** Primary result codes of SQLite, with the names that sqlite.org/rescode.html gives them. */
  readonly sqlite?: Readonly<Record<number, string>>;
  /** No room is missing: the error may also be one of reading. */
  readonly mayBeRead?: boolean;
}

const TROUBLES: readonly Trouble[] = [
  { says: 'the disk is full', codes: ['ENOSPC'], sqlite: { 13: 'SQLITE_FULL' } },
  { says: 'the quota of the disk is used up', codes: ['EDQUOT'], errno: constants.errno.EDQUOT },
  { says: 'the disk or the file is read-only', codes: ['EROFS'], sqlite: { 8: 'SQLITE_READONLY' } },
  { says: 'the file would be larger than is allowed', codes: ['EFBIG'] },
  { says: 'the disk reports an error', codes: ['EIO'], sqlite: { 10: 'SQLITE_IOERR' } },
  { says: 'this user may not write there', codes: ['EACCES', 'EPERM'], sqlite: { 3: 'SQLITE_PERM' }, mayBeRead: true },
  { says: 'this process has too many open files', codes: ['EMFILE'], mayBeRead: true },
  // SQLite does not tell why.
  {
    says: 'the file cannot be opened: a right is missing, this process has too many open files, or the disk has no room for a further file',
    codes: [],
    sqlite: { 14: 'SQLITE_CANTOPEN' },
    mayBeRead: true,
  },
];

/** Calls that make, fill or rename files. Sockets and programs know some of the codes too. */
const FILE_CALLS = /^(open|write|fsync|fdatasync|f?truncate|mkdir|mkdtemp|rename|link|symlink|unlink|rm|rmdir|f?chmod|copyfile|close)$/;

type SystemError = NodeJS.ErrnoException & { readonly errcode?: unknown };

/** @returns why a file could not be written, as `the disk is full (ENOSPC)`; undefined for an error of another kind */
export function diskTrouble(error: unknown): string | undefined {
  const found = troubleOf(error);
  return found && `${found.says} (${found.name})`;
}

/**
 * The same with the name of the file, for an operator or a user.
 * @param file if the error does not name it
 * @returns undefined also where no room is missing: the error itself says what was tried on which file, and may be one of reading
 */
export function writeFailure(error: unknown, file: string): string | undefined {
  const found = troubleOf(error);
  if (!found || found.mayBeRead) return undefined;
  const { path = file } = error as SystemError;
  return `${path} cannot be written: ${found.says} (${found.name})`;
}

function troubleOf(error: unknown): (Trouble & { readonly name: string }) | undefined {
  const { code, errno, errcode, syscall } = (error ?? {}) as SystemError;
  if (typeof errcode === 'number') return ofSqlite(errcode & 0xff);
  if (code === undefined || syscall === undefined || !FILE_CALLS.test(syscall)) return undefined;
  const found = TROUBLES.find((each) => each.codes.includes(code) || (each.errno !== undefined && errno === -each.errno));
  return found && { ...found, name: found.codes.includes(code) ? code : (found.codes[0] as string) };
}

/** @param code without the bits of extended codes */
function ofSqlite(code: number): (Trouble & { readonly name: string }) | undefined {
  for (const each of TROUBLES) {
    const name = each.sqlite?.[code];
    if (name !== undefined) return { ...each, name };
  }
  return undefined;
}
