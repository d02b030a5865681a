// The real hsm actor, with ways to die.
import hsm from '../../actors/hsm/hsm.actor.ts';
import { fragile } from './fragile.ts';

export default fragile(hsm);
