// The AI runner: summaries, translations, and answers from a text or from a base of documents.
import { definePlugin } from '../../kernel/plugin.ts';
import { type AiActors, aiActors } from './actors.ts';
import { AI_CONFIG, type AiConfig, aiProblems } from './config.ts';
import { MODEL_FAULTS } from './faults.ts';
import { AI_MIGRATIONS } from './migrations.ts';
import { aiRoutes } from './routes.ts';

export default definePlugin<AiConfig, AiActors>({
  // Its faults are about models; its section is named as the specification names the service.
  name: 'model',
  section: 'ai',
  config: AI_CONFIG,
  faults: MODEL_FAULTS,
  migrations: AI_MIGRATIONS,
  tags: { 'AI runner': 'Summaries, translations, and answers from a text or from a base of documents.' },
  problems: aiProblems,
  actors: (config, _kernel, base, _version, dataDir) => aiActors(config, dataDir, base),
  routes: aiRoutes,
});
