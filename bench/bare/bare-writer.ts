// Runs bare ONNX Runtime in a process of its own: it opens a model when it is told its folder, and writes when it is told how much.
import { openBare } from './bare-generator.ts';
import type { BareAnswer, BareRequest } from './bare-process.ts';

let bare: Awaited<ReturnType<typeof openBare>> | undefined;

process.on('message', async (request: BareRequest) => {
  if ('folder' in request) bare = await openBare(request.folder, request.threads);
  const ms = 'rows' in request && bare ? await bare.write(request.rows, request.length, request.tokens) : 0;
  process.send?.({ ms } satisfies BareAnswer);
});
