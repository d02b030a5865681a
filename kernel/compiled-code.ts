// Keeps what V8 has compiled for requests while the server rests.
import { setFlagsFromString } from 'node:v8';

/** For so many collections compiled code keeps the hidden classes alive that it relies on, though no object has them: more than ever come. V8's default is two. */
const COLLECTIONS = 1_000_000;
/** In one thread. From then on the code of the process is worth more than the memory. */
const REQUESTS = 1_000;

let served = 0;

/** Of the whole process. Must be called before anything that is to be kept is compiled. */
export function keepClassesOfCode(): void {
  setFlagsFromString(`--retain-maps-for-n-gc=${COLLECTIONS}`);
}

/**
 * Must be called with each request, message and call of an actor. Eight seconds after the last one V8 would collect garbage in a way that returns all the memory
 * it can, and that forgets those classes and with them most of the code for requests: the next ones take three times as long for some seconds. After a thousand
 * it collects in its usual way.
 */
export function noteServed(): void {
  if (served === REQUESTS) return;
  served += 1;
  if (served === REQUESTS) setFlagsFromString('--no-memory-reducer-favors-memory');
}
