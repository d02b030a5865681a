// The real password actor, with ways to die.
import password from '../../actors/password/password.actor.ts';
import { fragile } from './fragile.ts';

export default fragile(password);
