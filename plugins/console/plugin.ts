// The console: the page /console, on which people do their daily work in a browser. It uses the public routes of the other plugins, with the rights of whoever is signed in.
import { definePlugin } from '../../kernel/plugin.ts';
import Type from '../../kernel/type.ts';
import { pageRoutes } from './page.ts';

export default definePlugin<object>({
  name: 'console',
  config: Type.Object({}, { additionalProperties: false, default: {} }),
  tags: { Console: 'The page for daily work in a browser.' },
  routes: () => pageRoutes(),
});
