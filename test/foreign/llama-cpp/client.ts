// The server of llama.cpp, which speaks the API of OpenAI, as the server elsewhere that models run on; its model is made by the project.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ModelApi } from '../../../actors/model/api.ts';
import type { Remote } from '../../../kernel/actor.ts';
import type { Fault } from '../../../kernel/fault.ts';
import { callWith } from '../../../kernel/runtime/mailbox/remote.ts';
import { modelsOf } from '../../plugins/ai/models.ts';
import { startServer } from '../../server.ts';
import type { ForeignClient, Outcome } from '../client.ts';
import { pythonEnvironment } from '../program.ts';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const KEY = 'a key for llama.cpp';
const TEXTS = ['the king kept the treasure', 'a lamp', 'the storm of the town is in the harbour . the bell rang', 'the secret of the queen', 'light'];
const INSTRUCTION = 'say what the king was';

export const LLAMA_CPP: ForeignClient = {
  name: 'llama-cpp',
  prepare: (folder) => pythonEnvironment(folder, here('requirements.txt')),
  async run(folder) {
    const [texts, vectors] = [await startLlama(folder, 'text'), await startLlama(folder, 'embedding')];
    try {
      return await visit(texts, vectors);
    } finally {
      await Promise.all([texts.end(), vectors.end()]);
    }
  },
};

interface Llama {
  readonly url: string;
  post(path: string, body: object): Promise<ReturnType<typeof JSON.parse>>;
  end(): Promise<void>;
}

async function startLlama(folder: string, kind: 'text' | 'embedding'): Promise<Llama> {
  const args = [here('server.py'), join(folder, `${kind}.gguf`), KEY, kind];
  const child = spawn(join(folder, 'python', 'bin', 'python'), args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const gone = once(child, 'exit');
  const url = await new Promise<string>((resolve, reject) => {
    gone.then(([status]) => reject(new Error(`llama.cpp ended with status ${status}`)));
    createInterface(child.stdout).on('line', (line) => line.startsWith('listening at ') && resolve(line.slice('listening at '.length)));
  });
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  return {
    url,
    post: async (path, body) => (await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json(),
    async end() {
      child.kill();
      await gone;
    },
  };
}

function table(id: string, task: string, { url }: Llama, key = KEY): string {
  return `[[ai.models]]\nid = "${id}"\ntask = "${task}"\nengine = "http"\nurl = "${url}/v1"\nmodel = "tiny"\napi_key = "${key}"\n`;
}

async function visit(texts: Llama, vectors: Llama): Promise<Outcome> {
  const tables = [table('sums', 'summary', texts), table('stranger', 'answer', texts, 'another key'), table('meanings', 'embedding', vectors)];
  const server = await startServer({ config: tables.join('\n') });
  const problems: string[] = [];
  const steps = stepsOf(modelsOf(server), texts, vectors);
  try {
    for (const [step, work] of Object.entries(steps)) await work().catch((error: Error) => problems.push(`${step}: ${error.message}`));
  } finally {
    await server.end();
  }
  return { passed: Object.keys(steps).length - problems.length, problems };
}

function stepsOf(models: Remote<ModelApi>, texts: Llama, vectors: Llama): Readonly<Record<string, () => Promise<void>>> {
  const generate = (id: string, inputs: readonly string[], maxNewTokens: number, ticket?: string) =>
    models.generate(id, { inputs, instruction: INSTRUCTION, maxNewTokens }, 'visitor', ...(ticket === undefined ? [] : [ticket]));
  return {
    'texts are what the server says when it is asked directly': async () => {
      const messages = (text: string) => [
        { role: 'system', content: INSTRUCTION },
        { role: 'user', content: text },
      ];
      for (const text of TEXTS) {
        const direct = await texts.post('/v1/chat/completions', { messages: messages(text), max_tokens: 24, temperature: 0 });
        const [written] = await generate('sums', [text], 24);
        assert.equal(written, direct.choices[0].message.content.trim());
        assert.ok((written as string).split(' ').length > 8, written);
      }
    },
    'several at once, and pieces that are the text together': async () => {
      assert.ok((await generate('sums', [...TEXTS, ...TEXTS], 24)).every((text) => text !== ''));
      const [work, told] = [generate('sums', [TEXTS[0] as string], 40, 'ticket'), [] as string[]];
      for (let pieces = await models.pieces('ticket'); pieces; pieces = await models.pieces('ticket')) told.push(...pieces.map(([, piece]) => piece));
      assert.equal(told.join('').trim(), (await work)[0]);
    },
    'vectors are those of the server, of length 1, in the order of the texts': async () => {
      const { vectors: made, dimensions } = await models.embed('meanings', TEXTS, 'passage', 'visitor');
      const direct = await vectors.post('/v1/embeddings', { input: TEXTS, encoding_format: 'float' });
      for (const { index, embedding } of direct.data as { index: number; embedding: number[] }[]) {
        const length = Math.hypot(...embedding);
        for (const [at, value] of embedding.entries())
          assert.ok(Math.abs((made[index * dimensions + at] as number) - value / length) < 1e-3, `${index}, ${at}`);
      }
    },
    'a wrong key, and a text that is too long for it, are refused by name': async () => {
      const says = (words: RegExp) => (error: Fault) => error.code === 'MODEL_FAILED' && words.test(error.message);
      await assert.rejects(generate('stranger', ['a'], 4), says(/refuses the api_key/));
      await assert.rejects(generate('sums', ['the king '.repeat(9_000)], 4), says(/refuses the request \(400\)/));
    },
    'what runs there ends when its caller leaves': async () => {
      const leaving = new AbortController();
      const request = { inputs: [TEXTS[0] as string], maxNewTokens: 1_900 };
      const left = callWith(models, { signal: leaving.signal }).generate('sums', request, 'visitor', 'left');
      const outcome = assert.rejects(left, (error: Fault) => error.code === 'CANCELLED');
      assert.ok(await models.pieces('left'));
      leaving.abort();
      await outcome;
      const isBusy = async () => {
        const slots = (await (await fetch(`${texts.url}/slots`, { headers: { authorization: `Bearer ${KEY}` } })).json()) as { is_processing: boolean }[];
        return slots.some(({ is_processing: busy }) => busy);
      };
      for (let turn = 0; await isBusy(); turn += 1) {
        assert.ok(turn < 500, 'it goes on');
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
  };
}
