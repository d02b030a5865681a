// A server of the API of OpenAI on loopback: /chat/completions, streamed or whole, and /embeddings, as vLLM, llama.cpp and Ollama serve them.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

interface Asked {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly traceparent: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  readonly body: any;
}

export interface OpenAiServer {
  readonly url: string;
  readonly asked: Asked[];
  /** Requests whose client left before it had its answer. */
  readonly left: Asked[];
  /** Requests that are served now, and the most that ever were. */
  readonly load: { now: number; most: number };
  /** What the model says to the messages. */
  reply: (messages: readonly Message[]) => string;
  embed: (text: string) => readonly number[];
  finish: 'stop' | 'length' | 'content_filter';
  /** Does something else with requests; returns true for those that it served. */
  misbehave: ((asked: Asked, response: ServerResponse) => boolean) | undefined;
  /** Answers wait until it settles. */
  gate: Promise<void>;
  end(): Promise<void>;
}

const MODEL = 'small-instruct';

export async function startOpenAiServer(apiKey: string): Promise<OpenAiServer> {
  const fake: Omit<OpenAiServer, 'url' | 'end'> = {
    asked: [],
    left: [],
    load: { now: 0, most: 0 },
    reply: (messages) => messages.at(-1)?.content ?? '',
    embed: (text) => [text.length, 1, 0],
    finish: 'stop',
    misbehave: undefined,
    gate: Promise.resolve(),
  };
  const server = createServer(async (request, response) => {
    const asked = await read(request);
    fake.asked.push(asked);
    fake.load.now += 1;
    fake.load.most = Math.max(fake.load.most, fake.load.now);
    response.on('close', () => {
      fake.load.now -= 1;
      if (!response.writableFinished) fake.left.push(asked);
    });
    if (fake.misbehave?.(asked, response)) return;
    await fake.gate;
    if (asked.authorization !== `Bearer ${apiKey}`) return refuse(response, 401, `Incorrect API key provided: ${asked.authorization}`);
    if (asked.body.model !== MODEL) return refuse(response, 404, `The model ${asked.body.model} does not exist`);
    if (asked.path === '/v1/embeddings') return embeddings(response, fake, asked.body.input);
    if (asked.path !== '/v1/chat/completions') return refuse(response, 404, 'Not Found');
    return chat(response, fake, asked.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(fake, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    end: async () => void (await new Promise((resolve) => server.close(resolve).closeAllConnections())),
  });
}

async function read(request: IncomingMessage): Promise<Asked> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const { authorization, traceparent } = request.headers;
  return { path: request.url as string, authorization, traceparent: traceparent as string | undefined, body: JSON.parse(text) };
}

export function refuse(response: ServerResponse, status: number, message: string): void {
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code: null } }));
}

/** In another order than asked: only the index says which is which. */
function embeddings(response: ServerResponse, { embed }: Pick<OpenAiServer, 'embed'>, input: unknown): void {
  const texts = typeof input === 'string' ? [input] : (input as string[]);
  const data = texts.map((text, index) => ({ object: 'embedding', index, embedding: embed(text) })).reverse();
  response
    .setHeader('content-type', 'application/json')
    .end(JSON.stringify({ object: 'list', data, model: MODEL, usage: { prompt_tokens: 1, total_tokens: 1 } }));
}

interface ChatBody {
  readonly messages: readonly Message[];
  readonly stream?: boolean;
  readonly max_tokens?: number;
}

function chat(response: ServerResponse, fake: Pick<OpenAiServer, 'reply' | 'finish'>, { messages, stream }: ChatBody): void {
  const said = fake.reply(messages);
  const same = { id: 'chatcmpl-1', created: 1_700_000_000, model: MODEL };
  if (!stream) {
    const choice = { index: 0, message: { role: 'assistant', content: said }, finish_reason: fake.finish };
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ ...same, object: 'chat.completion', choices: [choice] }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const event = (choices: readonly object[], more = {}) => `data: ${JSON.stringify({ ...same, object: 'chat.completion.chunk', choices, ...more })}\n\n`;
  const delta = (content: object, finish: string | null = null) => [{ index: 0, delta: content, logprobs: null, finish_reason: finish }];
  const events = [
    ': a comment keeps the connection open\n\n',
    event(delta({ role: 'assistant', content: '' })),
    ...(said.match(/\S+\s*|\s+/g) ?? []).map((content) => event(delta({ content }))),
    event(delta({}, fake.finish)),
    event([], { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }),
    'data: [DONE]\n\n',
  ].join('');
  // Events do not end where packets do.
  const bytes = Buffer.from(events);
  for (let at = 0; at < bytes.length; at += 97) response.write(bytes.subarray(at, at + 97));
  response.end();
}
