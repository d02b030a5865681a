// Models that go on with a text: the prompt is made by the chat template of the model, or is the instruction and the text where it has none.
import { Template } from '@huggingface/jinja';
import { Fault } from '../../../kernel/fault.ts';
import type { Decoding } from './decoding.ts';
import { readJson, readText } from './model-files.ts';
import type { Phrasing } from './phrasing.ts';
import type { Tokenizer } from './tokenizer.ts';

interface Message {
  readonly role: 'system' | 'user';
  readonly content: string;
}

interface Render {
  /** @returns the prompt of these messages, up to where the answer begins */
  prompt(messages: readonly Message[]): string;
  /** What the template puts around messages and is no special token of the tokenizer. */
  readonly marks: readonly string[];
}

/** Of Llama 2 and Mistral, and of ChatML where the tokenizer does not know it: `[INST]`, `<<SYS>>`, `<|im_start|>`, `<start_of_turn>`. */
const MARKS = /\[\/?[A-Z_]{3,}\]|<<\/?[A-Z]{3,}>>|<\|[a-z_]{2,}\|>|<[a-z]+_of_[a-z]+>/g;

/** A text may have other tokens within a prompt than alone. */
const SLACK = 8;

/** @throws Fault MODEL_FAILED for a template that cannot be read */
export async function chatPhrasing(folder: string, tokenizer: Tokenizer, { window }: Decoding): Promise<Phrasing> {
  const render = await templateIn(folder);
  const special = [...tokenizer.added()].flatMap(([, content, isSpecial]) => (isSpecial && content.length > 1 ? [content] : []));
  const marks = [...new Set([...special, ...(render?.marks ?? [])])];
  const prompt = (instruction: string, text: string) => promptOf(tokenizer, render, disarmed(instruction, marks), disarmed(text, marks));
  return {
    // Instructions and answers need the rest.
    room: window >> 1,
    tasks(input, { instruction = '', maxTokens }) {
      const own = prompt(instruction, '').length + SLACK;
      const answer = Math.min(maxTokens, (window - own) >> 1);
      if (answer < 1) throw new Fault('MODEL_FAILED', { detail: 'the instruction is longer than the model takes' });
      const pieces = tokenizer.cut(input, window - own - answer).map(([start, end]) => input.slice(start, end));
      const parts = pieces.length <= 1 ? [input] : pieces;
      return parts.map((part) => {
        const ids = prompt(instruction, part);
        return { ids, first: undefined, maxTokens: Math.max(1, Math.min(answer, window - ids.length)) };
      });
    },
  };
}

function promptOf(tokenizer: Tokenizer, render: Render | undefined, instruction: string, text: string): number[] {
  const both = instruction === '' ? text : `${instruction}\n\n${text}`;
  if (!render) return tokenizer.begin(tokenizer.encode(`${both}\n`));
  const user = { role: 'user', content: text } as const;
  try {
    return tokenizer.encode(render.prompt(instruction === '' ? [user] : [{ role: 'system', content: instruction }, user]));
  } catch {
    // Some templates refuse instructions of the system.
    return tokenizer.encode(render.prompt([{ role: 'user', content: both }]));
  }
}

/** Marks of the template within a text would end it, and begin what the user has not said: a space makes them text. */
function disarmed(text: string, marks: readonly string[]): string {
  return marks.reduce((kept, mark) => kept.replaceAll(mark, `${mark.slice(0, 1)} ${mark.slice(1)}`), text);
}

/** @returns undefined if the model has none */
async function templateIn(folder: string): Promise<Render | undefined> {
  const config = await readJson(folder, 'tokenizer_config.json');
  const own = await readText(folder, 'chat_template.jinja');
  const source = own ?? sourceIn(config['chat_template']) ?? sourceIn((await readJson(folder, 'chat_template.json'))['chat_template']);
  if (source === undefined) return undefined;
  const token = (name: string) => {
    const value = config[name] as string | { readonly content?: string } | null | undefined;
    return typeof value === 'string' ? value : (value?.content ?? '');
  };
  const names = { bos_token: token('bos_token'), eos_token: token('eos_token'), pad_token: token('pad_token'), unk_token: token('unk_token') };
  try {
    const template = new Template(source);
    return {
      prompt: (messages) => template.render({ ...names, messages, add_generation_prompt: true, enable_thinking: false }),
      marks: source.match(MARKS) ?? [],
    };
  } catch (cause) {
    throw new Fault('MODEL_FAILED', { detail: 'the chat template of the model cannot be read', cause });
  }
}

/** One template, or several with names. */
function sourceIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return undefined;
  const named = (value as { readonly name?: unknown; readonly template?: unknown }[]).find(({ name }) => name === 'default')?.template;
  return typeof named === 'string' ? named : undefined;
}
