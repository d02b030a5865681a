// The documentation that the server gives of itself: the page /interactive-docs, and files to download.
import { definePlugin } from '../../kernel/plugin.ts';
import Type from '../../kernel/type.ts';
import { downloadRoutes } from './downloads.ts';
import { pageRoutes } from './page.ts';

export default definePlugin<object>({
  name: 'docs',
  config: Type.Object({}, { additionalProperties: false, default: {} }),
  tags: { Download: 'Files for clients of the server.' },
  routes: (ctx) => [...pageRoutes(ctx), ...downloadRoutes(ctx)],
});
