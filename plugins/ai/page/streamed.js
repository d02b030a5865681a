// Sends a form and shows the answer while it is written.

/** What the server says is wrong. */
export class Refusal extends Error {}

/** @returns {Promise<never>} @param {Response} response */
async function refuse(response) {
  const body = await response.json().catch(() => ({}));
  throw new Refusal(body.message ?? `the server answered ${response.status}`);
}

/**
 * @param {string} path
 * @param {FormData} form
 * @param {(text: string) => void} show gets all that is written so far
 * @param {AbortSignal} signal
 * @returns the whole answer, and the model that wrote it
 */
export async function streamed(path, form, show, signal) {
  const response = await fetch(path, { method: 'POST', body: form, headers: { accept: 'text/event-stream' }, cache: 'no-store', redirect: 'error', signal });
  if (!response.ok) return refuse(response);
  let written = '';
  let rest = '';
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const events = `${rest}${piece}`.split('\n\n');
    rest = events.pop();
    for (const each of events) {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(each) ?? [];
      const value = JSON.parse(data);
      if (name === 'result') return value;
      if (name === 'error') throw new Refusal(value.message);
      written += value.text;
      show(written);
    }
  }
  throw new Refusal('the answer ended before it was complete');
}
