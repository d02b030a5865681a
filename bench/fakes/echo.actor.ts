// The actor whose calls are measured: it returns its argument.
import { defineActor } from '../../kernel/actor.ts';

export type EchoApi = { echo(text: string): string };

export default defineActor<EchoApi, null>(() => ({ api: { echo: (text) => text } }));
