// Answers of /chat/completions, streamed as server-sent events (the API of OpenAI, and of vLLM, llama.cpp and Ollama, which imitate it).
import { Fault } from '../../../kernel/fault.ts';

const DONE = '[DONE]';

export interface Said {
  readonly text: string;
  /** Whether it ended because no more tokens were allowed. */
  readonly isCut: boolean;
}

interface Chunk {
  readonly error?: unknown;
  readonly choices?: readonly (Choice | null)[] | null;
}

interface Choice {
  readonly index?: unknown;
  readonly delta?: { readonly content?: unknown } | null;
  readonly finish_reason?: unknown;
}

/** @param onText gets each piece when it is there @throws Error if the stream is malformed, or ends before the answer does; Fault MODEL_FAILED for a text that the server filters: it does not fail */
export async function readChat(pieces: AsyncIterable<string>, onText: (piece: string) => void): Promise<Said> {
  let [text, reason, isDone] = ['', undefined as unknown, false];
  for await (const data of eventsOf(pieces)) {
    if (data === DONE) isDone = true;
    if (isDone) break;
    const { error, choices } = (JSON.parse(data) ?? {}) as Chunk;
    if (error) throw new Error('the server sent an error within its answer');
    // The last chunk may have no choices, only what was used.
    const choice = choices?.[0];
    if (typeof choice?.delta?.content === 'string' && choice.delta.content !== '') {
      text += choice.delta.content;
      onText(choice.delta.content);
    }
    reason = choice?.finish_reason ?? reason;
  }
  if (typeof reason !== 'string') throw new Error('the answer ended before it was complete');
  if (reason === 'content_filter') throw new Fault('MODEL_FAILED', { detail: 'the server of the model filters the answer to this text' });
  if (reason !== 'stop' && reason !== 'length') throw new Error(`the answer ended with ${JSON.stringify(reason).slice(0, 64)}`);
  return { text, isCut: reason === 'length' };
}

/** The data of server-sent events (HTML, section 9.2.6); fields other than data do not matter here. */
async function* eventsOf(pieces: AsyncIterable<string>): AsyncIterable<string> {
  let rest = '';
  let data: string[] = [];
  for await (const piece of pieces) {
    // A line ends with LF, CRLF or CR; a CR at the end may be half of a CRLF.
    const lines = `${rest}${piece}`.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() as string;
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
      if (line !== '' || data.length === 0) continue;
      yield data.join('\n');
      data = [];
    }
  }
}
