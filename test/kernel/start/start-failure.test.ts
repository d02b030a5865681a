// What a start waits for on a busy machine, and what it says when a part of the server does not answer.
import assert from 'node:assert/strict';
import Type from 'typebox';
import { test } from 'uvu';
import type { PinnedSpec } from '../../../kernel/actor.ts';
import { definePlugin } from '../../../kernel/plugin.ts';
import { StartFailure } from '../../../kernel/start/start-failure.ts';
import { authActors } from '../../../plugins/auth/actors.ts';
import type { AuthConfig } from '../../../plugins/auth/config.ts';
import auth from '../../../plugins/auth/plugin.ts';
import type { ProbeApi, ProbeArgs } from '../../fakes/probe.actor.ts';
import { pinnedProbe } from '../../fakes/probe.ts';
import { signInAdmin, startServer } from '../../server.ts';

const hurried = {
  ...auth,
  actors(config: AuthConfig, kernel: Parameters<typeof authActors>[1], base: string) {
    const { password, directory, ...others } = authActors(config, kernel, base);
    return { ...others, directory: { ...directory, deadlineMs: 1 }, password: { ...password, deadlineMs: 1 } };
  },
};

test('the first start waits for the first password, however long its hash takes', async () => {
  const server = await startServer({ plugins: [hurried as never] });
  assert.match(server.announcements.join('\n'), new RegExp(`sign in: curl .*admin:${server.initialPassword}`));
  // For requests the deadlines hold.
  await assert.rejects(signInAdmin(server), /DEADLINE/);
  await server.end();
});

test('a start that fails because an actor does not answer names the plugin', async () => {
  const waiting = definePlugin<unknown, { probe: PinnedSpec<ProbeApi, ProbeArgs> }>({
    name: 'waiting',
    config: Type.Object({}, { default: {} }),
    actors: () => ({ probe: pinnedProbe({ only: {} }, { deadlineMs: 20 }) }),
    async open(ctx) {
      await ctx.actors.probe.at('only').hang();
      return [];
    },
  });
  await assert.rejects(startServer({ plugins: [waiting as never] }), (error: unknown) => {
    assert.ok(error instanceof StartFailure, String(error));
    assert.equal(error.message, 'the plugin waiting could not start: DEADLINE: there was no answer in time; the outcome is unknown');
    return true;
  });
});

test('a database that is away is named by its addresses, and not by the user and password of its URL', async () => {
  const start = (host: string) => startServer({ config: `[store]\nurl = "postgres://admin:hidden@${host}:1/x"` });
  const away = 'the store could not start: the database cannot be reached';
  await assert.rejects(start('127.0.0.1'), { name: 'StartFailure', message: `${away}: connect ECONNREFUSED 127.0.0.1:1` });
  await assert.rejects(start('localhost'), (error: Error) => new RegExp(`^${away}(: connect E[A-Z]+ (::1|127\\.0\\.0\\.1):1)+$`).test(error.message));
});

test('a start that fails because an actor finds a full disk says so, without a stack', async () => {
  const full = definePlugin<unknown, { probe: PinnedSpec<ProbeApi, ProbeArgs> }>({
    name: 'full',
    config: Type.Object({}, { default: {} }),
    actors: () => ({ probe: pinnedProbe({ only: { full: true } }) }),
  });
  const message = 'an actor could not start: a file of the server cannot be written now: the disk is full (ENOSPC)';
  await assert.rejects(startServer({ plugins: [full as never] }), { name: 'StartFailure', message });
});

test('what is not a fault of an actor stays what it is', async () => {
  const broken = definePlugin({
    name: 'broken',
    config: Type.Object({}, { default: {} }),
    open: () => Promise.reject(new TypeError('a bug')),
  });
  await assert.rejects(startServer({ plugins: [broken as never] }), /TypeError: a bug/);
});

test.run();
