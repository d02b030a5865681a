// Checks that a value exported by a module is a plugin.
import type { AnyPlugin } from '../plugin.ts';

const NAME = /^[a-z][a-z0-9_]*$/;
const WRONG_NAME = 'must be lower-case letters, digits and _, with a letter in front';
const HOOKS = ['sectionOf', 'problems', 'complete', 'actors', 'authenticators', 'routes', 'listeners', 'keyEncryptionKey', 'open', 'status'] as const;
const VALUES = ['name', 'section', 'config', 'faults', 'tags', 'unserved', 'migrations', 'flags', 'additions', 'offers'] as const;
const MEMBERS: ReadonlySet<string> = new Set([...VALUES, ...HOOKS]);

export function isPluginName(name: unknown): boolean {
  return typeof name === 'string' && NAME.test(name);
}

/** @returns the problems of a value that a module exports as a plugin */
export function shapeProblems(plugin: unknown): string[] {
  if (typeof plugin !== 'object' || plugin === null) return ['the module must have a default export made by definePlugin'];
  const { name, section, additions, offers = {}, config, faults = {}, migrations = [] } = plugin as Partial<AnyPlugin>;
  const problems: string[] = [];
  if (typeof name !== 'string' || !NAME.test(name)) problems.push(`name: ${WRONG_NAME}`);
  if (section !== undefined && !NAME.test(section)) problems.push(`section: ${WRONG_NAME}`);
  if (additions !== undefined && !NAME.test(additions)) problems.push(`additions: ${WRONG_NAME}`);
  for (const [to, values] of Object.entries(offers)) if (!Array.isArray(values)) problems.push(`offers.${to}: must be an array`);
  if (typeof config !== 'object' || config === null) problems.push('config: must be a schema');
  for (const hook of HOOKS) if (!['undefined', 'function'].includes(typeof (plugin as AnyPlugin)[hook])) problems.push(`${hook}: must be a function`);
  for (const member of Object.keys(plugin)) if (!MEMBERS.has(member)) problems.push(`${member}: unknown member`);
  const prefix = `${String(name).toUpperCase()}_`;
  for (const [code, { status, message } = {} as never] of Object.entries(faults)) {
    if (!code.startsWith(prefix)) problems.push(`faults.${code}: must begin with ${prefix}`);
    if (!Number.isInteger(status) || status < 400 || status > 599) problems.push(`faults.${code}: status must be an integer from 400 to 599`);
    if (typeof message !== 'string' || message === '') problems.push(`faults.${code}: must have a message`);
  }
  migrations.forEach(({ id }, index) => {
    if (id !== index + 1) problems.push(`migrations[${index}]: id must be ${index + 1}`);
  });
  return problems;
}
