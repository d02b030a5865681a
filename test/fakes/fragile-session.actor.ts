// The real session actor, with ways to die.
import session from '../../actors/session/session.actor.ts';
import { fragile } from './fragile.ts';

export default fragile(session);
