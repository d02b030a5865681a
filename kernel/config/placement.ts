// Where an actor lives, as the configuration says it.
import Type from 'typebox';

/** `beside`: the front answers by itself what is quick and writes nothing. `own`: every call goes to threads of the actor's own. */
export const PLACEMENT = Type.Union([Type.Literal('beside'), Type.Literal('own')], { default: 'beside' });
