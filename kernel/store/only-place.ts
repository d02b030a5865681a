// Notices a database file that is in two places: SQLite keeps its write-ahead log beside each, so whoever opens the file in the other place sees nothing of it.
import { readFileSync, realpathSync, statSync } from 'node:fs';

/** Each line has the place of a mount as its fifth field, with some characters as three octal digits: proc_pid_mountinfo(5). */
const MOUNTS = '/proc/self/mountinfo';
const PLACE = 4;

/**
 * A symbolic link is none: SQLite follows it.
 * @param path of a file, which need not be there
 * @param mounts Linux only: elsewhere no mount is noticed
 * @returns what is wrong with it; undefined if nothing is, and for what cannot be looked at: its reader says why
 */
export function secondPlaceProblem(path: string, mounts = read(MOUNTS)): string | undefined {
  const links = linksOf(path);
  if (links === undefined) return undefined;
  const advice = 'the write-ahead log of SQLite is beside one of them only, so that changes are lost';
  if (links > 1) return `${path} has ${links} names (hard links), and ${advice}; remove the other name, or make a copy of the file`;
  const real = realpathSync(path);
  const isMounted = mounts.split('\n').some((line) => unescaped(line.split(' ')[PLACE] ?? '') === real);
  return isMounted ? `${path} is mounted from another place, and ${advice}; mount the folder that it is in` : undefined;
}

function linksOf(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.nlink;
  } catch {
    return undefined;
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

const unescaped = (text: string): string => text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
