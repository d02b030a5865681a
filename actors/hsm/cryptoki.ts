// One loaded PKCS#11 library: loading, initialising, and starting it anew when its tokens have come and gone.
import { existsSync } from 'node:fs';
import type pkcs11js from 'pkcs11js';
import { CKR, returnValue } from './return-value.ts';

/** CKF_OS_LOCKING_OK: other threads of this process may use the library too. */
const OS_LOCKING = 2;

export interface Cryptoki {
  /** The initialised library. @throws what loading or initialising it fails with */
  open(): Promise<pkcs11js.PKCS11>;
  /** Finalises the library where that hurts nobody, so that the next open sees tokens as they are now. @returns whether it did */
  restart(): boolean;
  close(): void;
}

/** @param path of the library; empty where none was found @param alone nobody else in this process uses it */
export function createCryptoki(path: string, alone: boolean): Cryptoki {
  let library: pkcs11js.PKCS11 | undefined;
  let initialised = false;
  const finalise = () => {
    if (!library || !initialised || !alone) return false;
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
      library ??= await load(path);
      if (!initialised) initialise(library);
      initialised = true;
      return library;
    },
    restart: finalise,
    close() {
      finalise();
      library?.close();
      library = undefined;
    },
  };
}

async function load(path: string): Promise<pkcs11js.PKCS11> {
  if (path === '') throw new Error('no PKCS#11 library was found where this model usually has it: name it in library');
  if (!existsSync(path)) throw new Error(`${path}: there is no such file`);
  const { default: binding } = await import('pkcs11js').catch((cause: unknown) => {
    throw new Error('the package pkcs11js is not installed: install python3, make and g++, then run npm start again', { cause });
  });
  const library = new binding.PKCS11();
  library.load(path);
  return library;
}

function initialise(library: pkcs11js.PKCS11): void {
  try {
    library.C_Initialize({ flags: OS_LOCKING });
  } catch (error) {
    // Another thread of this process, or this actor before a crash, has done it.
    if (returnValue(error) !== CKR.CRYPTOKI_ALREADY_INITIALIZED) throw error;
  }
}
