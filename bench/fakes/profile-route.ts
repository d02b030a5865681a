// A plugin for the bench: tells where the thread that serves the request spends its time, by V8's sampling profiler.
import { Session } from 'node:inspector/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { Section } from '../../kernel/config/schema.ts';
import type { Route } from '../../kernel/http/route.ts';
import { definePlugin } from '../../kernel/plugin.ts';

const INTERVAL_US = 200;

const profile: Route = {
  method: 'POST',
  path: '/profile',
  auth: 'none',
  rawBody: true,
  tag: 'Profile',
  summary: 'A profile of the next milliseconds, whose number is the body',
  responses: { 200: { description: 'the profile of the Chrome DevTools Protocol' } },
  async handle({ body }) {
    const session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US });
    await session.post('Profiler.start');
    await wait(Number(Buffer.from(body as Uint8Array).toString()));
    const answer = await session.post('Profiler.stop');
    session.disconnect();
    return { status: 200, body: Buffer.from(JSON.stringify(answer.profile)), type: 'application/json; charset=utf-8' };
  },
};

export default definePlugin<object, Record<string, never>>({
  name: 'profile',
  config: Section({}),
  tags: { Profile: 'For the benchmark.' },
  routes: () => [profile],
});
