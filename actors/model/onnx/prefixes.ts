// What models that were made for several tasks want before a text, as their files say: T5 and its like are told in words what to do (Raffel et al. 2020, section 2.4).
import type { ModelTask } from '../api.ts';
import { readJson } from './model-files.ts';
import type { Request } from './phrasing.ts';

export type PrefixOf = (languages: Request['languages']) => string;

type Settings = Readonly<Record<string, unknown>>;

const NAMES = new Intl.DisplayNames(['en'], { type: 'language' });
const settings = (value: unknown): Settings => (typeof value === 'object' && value !== null ? (value as Settings) : {});
const words = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** @returns what the files set for this task alone; a translation has settings for each pair, which differ in the prefix only */
export function settingsOfTask(config: Settings, task: ModelTask | undefined): Settings {
  return task === 'summary' ? settings(settings(config['task_specific_params'])['summarization']) : {};
}

/** @returns undefined for a model that wants none */
export async function prefixesIn(folder: string, task: ModelTask | undefined): Promise<PrefixOf | undefined> {
  const config = await readJson(folder, 'config.json');
  const tasks = settings(config['task_specific_params']);
  const usual = words(settingsOfTask(config, task)['prefix']) ?? words(config['prefix']) ?? '';
  const translates = Object.keys(tasks).some((key) => key.startsWith('translation_'));
  if (usual === '' && !translates) return undefined;
  return (languages) => {
    if (!languages || !translates) return usual;
    const { from, to } = languages;
    // What it was told of more languages than its files name follows the same pattern.
    return words(settings(tasks[`translation_${from}_to_${to}`])['prefix']) ?? `translate ${NAMES.of(from)} to ${NAMES.of(to)}: `;
  };
}
