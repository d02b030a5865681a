// Runs something when a response has been sent or its client has left; at once where that was before anybody asked: while a request is worked on, its client may leave at any time.
import type { ServerResponse } from 'node:http';

export function onceClosed(response: ServerResponse, run: () => void): void {
  if (response.destroyed) run();
  else response.once('close', run);
}
