// One PKCS#11 library: loads it, initialises it, and restarts it after tokens were removed or inserted.
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import type pkcs11js from 'pkcs11js';
import { PKCS_11_RETURN_CODE as CKR } from '../../../kmip/ttlv/pkcs11.ts';
import type { HsmHints } from '../api.ts';
import { withHint } from './find-slot.ts';
import { nameOf, returnValue } from './return-value.ts';

/** CKF_OS_LOCKING_OK: other threads of this process may use the library too. */
const OS_LOCKING = 2;

export interface Cryptoki {
  /** The initialised library. @throws the error of loading or initialising it */
  open(): Promise<pkcs11js.PKCS11>;
  /** The same; undefined if that takes more than looking. */
  readonly opened: pkcs11js.PKCS11 | undefined;
  /** Whether nobody else uses it, so that it can be restarted when nothing runs. */
  readonly isAlone: boolean;
  /** Finalises the library if nobody else uses it, so that the next open sees the tokens that are present then. @returns whether it did */
  restart(): boolean;
  /** The library lets one thread of the process call it, and no other. */
  readonly isForOneThread: boolean;
  close(): void;
}

interface CryptokiOptions {
  /** Path of the library; empty if none was found. */
  readonly path: string;
  /** Nobody else in this process uses the library. */
  readonly alone: boolean;
  readonly initializeText: string | undefined;
  /** What the operator can do if there is no library, or if it does not start. */
  readonly hints: HsmHints;
  /** Whether other threads of this instance call it just now, under which it must not be finalised. */
  isBusy(): boolean;
}

export function createCryptoki({ path, alone, initializeText, hints, isBusy }: CryptokiOptions): Cryptoki {
  let library: pkcs11js.PKCS11 | undefined;
  let initialised = false;
  let isForOneThread = false;
  const finalise = () => {
    if (!library || !initialised || !alone || isBusy()) return false;
    initialised = false;
    try {
      library.C_Finalize();
    } catch (error) {
      if (returnValue(error) !== CKR.CRYPTOKI_NOT_INITIALIZED) throw error;
    }
    return true;
  };
  return {
    async open() {
      library ??= await loadLibrary(path, hints.library);
      if (!initialised) isForOneThread = started(library, path, initializeText, hints) === 'one thread';
      initialised = true;
      return library;
    },
    get opened() {
      return initialised ? library : undefined;
    },
    isAlone: alone,
    restart: finalise,
    get isForOneThread() {
      return isForOneThread;
    },
    close() {
      finalise();
      library?.close();
      library = undefined;
    },
  };
}

/** @throws Error that tells the operator what is missing */
export async function loadLibrary(path: string, hint = 'install it'): Promise<pkcs11js.PKCS11> {
  if (path === '') throw new Error(`no PKCS#11 library found in the usual places for this model: ${hint}, or set library to its path`);
  if (!existsSync(path)) throw new Error(`${path}: the file does not exist; set library to the path of the PKCS#11 library`);
  const { default: binding } = await import('pkcs11js').catch((cause: unknown) => {
    throw new Error('the package pkcs11js is not installed: install python3, make and g++, then install gatehouse again (in a clone: npm start)', { cause });
  });
  const library = new binding.PKCS11();
  library.load(path);
  keepInMemory(path);
  return library;
}

/** RTLD_NODELETE, which node:os does not name. */
const NO_DELETE = process.platform === 'darwin' ? 0x80 : 0x1000;

/** A library with threads of its own, as those of TPMs have, would crash the process when it is unloaded, which the binding does at the latest when the thread ends. */
function keepInMemory(path: string): void {
  try {
    process.dlopen({ exports: {} }, path, constants.dlopen.RTLD_LAZY | NO_DELETE);
  } catch {
    // It is no module of Node, but stays.
  }
}

/** @throws Error for the return value of a library, which alone would not tell that the library found no configuration, or may not read it */
function started(library: pkcs11js.PKCS11, path: string, text: string | undefined, hints: HsmHints): ReturnType<typeof initialise> {
  try {
    return initialise(library, text);
  } catch (error) {
    if (returnValue(error) === undefined) throw error;
    const problem = `${path} does not start (C_Initialize: ${nameOf(error)}): check its configuration, and that the user of this server may read it`;
    throw new Error(withHint(problem, hints.token), { cause: error });
  }
}

function initialise(library: pkcs11js.PKCS11, text: string | undefined): 'one thread' | 'any threads' {
  const parameters = text !== undefined && { libraryParameters: text };
  try {
    library.C_Initialize({ flags: OS_LOCKING, ...parameters });
  } catch (error) {
    // It has no locks: only the thread that initialises it may call it.
    if (returnValue(error) === CKR.CANT_LOCK) {
      library.C_Initialize({ flags: 0, ...parameters });
      return 'one thread';
    }
    // Another thread of this process, or this actor before a crash, has already initialised it.
    if (returnValue(error) !== CKR.CRYPTOKI_ALREADY_INITIALIZED) throw error;
  }
  return 'any threads';
}
