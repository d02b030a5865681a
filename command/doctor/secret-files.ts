// Checks the files of secrets that the configuration names, wherever they lie: whether every user of this machine can read them.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Check, ok, warning } from './finding.ts';
import { octalMode } from './mode.ts';

const EVERYBODY = 0o007;

/** A group may have them: what a service manager mounts for the user of the server often has one. */
export const checkSecretFiles: Check = ({ config, secretFiles, base }) => {
  const { key } = config.http.tls;
  const all = [...secretFiles, ...(key === '' ? [] : [['http.tls.key', resolve(base, key)] as const])];
  return all.flatMap(([name, path]) => {
    // The configuration or the certificate has told of one that is gone.
    const mode = statSync(path, { throwIfNoEntry: false })?.mode;
    if (mode === undefined) return [];
    if ((mode & EVERYBODY) === 0) return [ok(name, `${path} is not for every user`)];
    return [
      warning(
        name,
        `every user of this machine can use ${path} (mode ${octalMode(mode)})`,
        `chmod o= ${path}; in a container, give the mount a mode such as 0440`,
      ),
    ];
  });
};
