// Runs a function when a response has been sent or its client has left: at once if that was before, because a client may leave at any time.
import type { ServerResponse } from 'node:http';

export function onceClosed(response: ServerResponse, run: () => void): void {
  if (response.destroyed) run();
  else response.once('close', run);
}
