// GET /models: the configured models with their states, what is missing, and how far the vectors of documentary bases are.
import type { Request, Response } from '../../kernel/http/route.ts';
import Type from '../../kernel/type.ts';
import type { AiContext } from './actors.ts';

const MODEL = Type.Object({
  id: Type.String(),
  task: Type.String(),
  engine: Type.String(),
  languages: Type.Array(Type.String()),
  state: Type.String({ description: 'absent (not in memory), loading, warming, ready, draining or failed' }),
  missing: Type.Array(Type.String(), { description: 'what has to be installed before it can be loaded' }),
  problem: Type.Optional(Type.String()),
  revision: Type.Optional(Type.String()),
  memory_mb: Type.Integer(),
  requests: Type.Integer({ description: 'requests that wait or run' }),
});
const EMBEDDING = Type.Object({
  references: Type.Integer(),
  waiting: Type.Integer({ description: 'references that are found by their words only until they have vectors' }),
  problem: Type.Optional(Type.String()),
});
export const MODELS = Type.Object({ models: Type.Array(MODEL), embedding: Type.Optional(EMBEDDING) });

export async function listModels({ actors }: AiContext, _request: Request): Promise<Response> {
  const all = actors.model.keys().length === 0 ? [] : await actors.model.at('main').list();
  const embedding = await actors.library.at('main').embedding();
  const models = all.map(({ memoryMb, figures: _, ...model }) => ({ ...model, memory_mb: memoryMb }));
  return { status: 200, body: { models, ...(embedding && { embedding }) } };
}
