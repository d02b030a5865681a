// The anonymization endpoints: stateless methods that hash, blur, mask and round data.
import { definePlugin } from '../../kernel/plugin.ts';
import { type TokenizeActors, tokenizeActors } from './actors.ts';
import { TOKENIZE_CONFIG, type TokenizeConfig } from './config.ts';
import { TOKENIZE_FAULTS } from './faults.ts';
import { tokenizeRoutes } from './routes.ts';

export default definePlugin<TokenizeConfig, TokenizeActors>({
  name: 'tokenize',
  config: TOKENIZE_CONFIG,
  faults: TOKENIZE_FAULTS,
  tags: { Anonymization: 'Stateless methods that hash, blur, mask and round data. They need no key.' },
  actors: tokenizeActors,
  routes: tokenizeRoutes,
});
