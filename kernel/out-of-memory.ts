// Tells errors by which the system, or a limit of memory, has refused a process more of it.

const CODES: ReadonlySet<unknown> = new Set(['ENOMEM', 'ERR_MEMORY_ALLOCATION_FAILED', 'ERR_OSSL_MALLOC_FAILURE', 'Z_MEM_ERROR']);
/** Of V8, and of Argon2 in `@node-rs/argon2`, which have no code. */
const MESSAGE = /^(Array buffer allocation failed|Memory allocation error)$/;
/** SQLITE_NOMEM, without the bits of extended codes. */
const SQLITE_NOMEM = 7;

export function isOutOfMemory(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  return CODES.has(code) || (typeof errcode === 'number' && (errcode & 0xff) === SQLITE_NOMEM) || MESSAGE.test(error.message);
}
