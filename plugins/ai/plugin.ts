// The AI runner: summaries, translations, and answers from a text or from a base of documents.
import { readFile } from 'node:fs/promises';
import { definePlugin } from '../../kernel/plugin.ts';
import { type AiActors, aiActors, type Neighbours } from './actors.ts';
import { AI_CONFIG, type AiConfig, aiProblems } from './config.ts';
import { AI_FAULTS } from './faults.ts';
import { exposeModels } from './metrics.ts';
import { AI_MIGRATIONS } from './migrations.ts';
import { aiRoutes } from './routes.ts';

const MATRIX = /\bamx_int8\b/;

export default definePlugin<AiConfig, AiActors, Neighbours>({
  // Its faults are about models; its section is named as the specification names the service.
  name: 'model',
  section: 'ai',
  config: AI_CONFIG,
  faults: AI_FAULTS,
  migrations: AI_MIGRATIONS,
  tags: { 'AI runner': 'Summaries, translations, and answers from a text or from a base of documents.' },
  problems: aiProblems,
  actors: (config, _kernel, base, _version, dataDir) => aiActors(config, dataDir, base),
  async open(ctx) {
    // Here and not with the routes, which every front has: the figures would be added up once for each.
    exposeModels(ctx.metrics, ctx.actors.model);
    if (ctx.config.use_matrix_accel && !MATRIX.test(await readFile('/proc/cpuinfo', 'utf8').catch(() => '')))
      ctx.log.warn({}, 'use_matrix_accel has no effect: this processor has no matrix instructions (amx_int8)');
    return [];
  },
  routes: aiRoutes,
});
