// The token of a run: SoftHSM behind the library of faults, for the first node.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type FaultLibrary, faultLibrary } from '../test/fakes/pkcs11-fault/build.ts';
import { createSoftHsm } from '../test/softhsm.ts';
import { SOFTHSM_LIBRARY } from '../test/system.ts';

export interface Hsm {
  readonly library?: FaultLibrary;
  /** Why there is none. */
  readonly why: string;
  /** Table of the configuration of the node that has it. */
  readonly config: string;
  /** Begins the identifiers of its keys. */
  readonly prefix: string;
  /** Identifier of a key that is there all the time. */
  readonly probe: string;
  end(): void;
}

const PIN = '12345678';
/** A library that does not come back for so long is ended with its process, seconds. */
const DEADLINE_SECONDS = 3;

export function openHsm(): Hsm {
  const missing = [SOFTHSM_LIBRARY, '/usr/bin/softhsm2-util', '/usr/bin/gcc'].filter((file) => !existsSync(file));
  if (missing.length > 0) return { why: `without ${missing.join(' and ')} there is no HSM`, config: '', prefix: '', probe: '', end() {} };
  const token = createSoftHsm();
  const slot = token.addToken('soak', PIN);
  const library = faultLibrary(token.folder, 'soak');
  const lines = [
    'hsm_model = "soft_hsm"',
    'hsm_admin = ["*"]',
    `hsm_slot = [${slot}]`,
    `hsm_password = ["${PIN}"]`,
    `library = ${JSON.stringify(join(library.path))}`,
    'isolation = "process"',
    'probe_seconds = 1',
    `deadline_seconds = ${DEADLINE_SECONDS}`,
  ];
  const prefix = `hsm::soft_hsm::${slot}::`;
  return { library, why: '', config: `[[hsm_instances]]\n${lines.join('\n')}\n`, prefix, probe: `${prefix}probe`, end: () => token.end() };
}
