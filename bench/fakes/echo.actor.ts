// The actor whose calls are timed: it does nothing.
import { defineActor } from '../../kernel/actor.ts';

export type EchoApi = { echo(text: string): string };

export default defineActor<EchoApi, null>(() => ({ api: { echo: (text) => text } }));
