// Where an actor lives, as the configuration says it.
import Type from '../type.ts';

/** `beside`: the front answers by itself what is quick and writes nothing. `own`: every call goes to threads of the actor's own. */
export const PLACEMENT = Type.Enum(['beside', 'own'], { default: 'beside' });

/** `process`: as `own`, and each of these threads is a process. For an actor that holds secrets, or runs native code, that nothing else is to share. */
export const PLACEMENT_OR_PROCESS = Type.Enum(['beside', 'own', 'process'], { default: 'beside' });
