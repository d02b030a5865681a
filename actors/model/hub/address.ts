// Names of models, revisions and files, checked before a path or an address is made of them.
import { UsageError } from './hub-error.ts';

const PART = '[A-Za-z0-9][A-Za-z0-9._-]{0,95}';
const HUB_ID = new RegExp(`^${PART}/${PART}$`);
const REVISION = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$/;
const FILE = /^(?:[A-Za-z0-9_][A-Za-z0-9._-]{0,127}\/){0,4}[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
/** As in the configuration: `[[ai.models]] id`. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** @param id of a model on its hub: `owner/name` @throws UsageError */
export function requireHubId(id: string): string {
  if (HUB_ID.test(id) && !id.includes('..')) return id;
  throw new UsageError(`${shown(id)} is not the ID of a model on a hub: it must be owner/name, of letters, digits and . _ -, without ..`);
}

/** @param name of a model here @throws UsageError */
export function requireModelName(name: string): string {
  if (NAME.test(name) && !name.includes('..')) return name;
  throw new UsageError(`${shown(name)} is not the name of a model: it must have 1 to 64 small letters, digits and . _ -, and begin with a letter or digit`);
}

/** @returns the name that a model of the hub gets here, if the operator gives none */
export function nameOf(hubId: string): string {
  return requireModelName((hubId.split('/')[1] as string).toLowerCase().slice(0, 64));
}

/** @param revision branch, tag or commit @throws UsageError */
export function requireRevision(revision: string): string {
  if (REVISION.test(revision) && !revision.includes('..') && !revision.includes('//')) return revision;
  throw new UsageError(`${shown(revision)} is not a revision: it must be a branch, a tag or a commit`);
}

/** Names of files come from the hub, which is not trusted with paths. */
export function isFileName(path: string): boolean {
  return FILE.test(path) && !path.includes('..');
}

const escaped = (revision: string) => encodeURIComponent(revision);
const base = (hub: string) => hub.replace(/\/+$/, '');

export function fileAddress(hub: string, id: string, revision: string, path: string): string {
  return `${base(hub)}/${id}/resolve/${escaped(revision)}/${path}`;
}

export function listingAddress(hub: string, id: string, revision: string): string {
  return `${base(hub)}/api/models/${id}/revision/${escaped(revision)}?blobs=true`;
}

function shown(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal must not interpret what was given.
  return JSON.stringify(text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '?').slice(0, 128));
}
