// What all operations of one thread work with: store, objects, clock, configuration.
import type { SeededRandom } from '../../crypto/random.ts';
import type { Log } from '../../kernel/log/log-entry.ts';
import type { Store } from '../../kernel/store/store.ts';
import type { KmipArgs } from './api.ts';
import type { Aside } from './aside.ts';
import type { Asynchronous } from './asynchronous/surroundings.ts';
import type { CorrelationRate } from './message/correlation-rate.ts';
import type { KeyKind } from './object/key.ts';
import type { ObjectRouter } from './object/object-router.ts';
import type { ContentRoom } from './object/rows/content-room.ts';
import type { ObjectRows } from './object/rows/rows.ts';
import type { Operations } from './operation.ts';
import type { Streams } from './streams.ts';

export interface KeyServer {
  readonly args: KmipArgs;
  readonly operations: Operations;
  readonly log: Log;
  /** Of the current call. */
  requestId(): string | undefined;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds, for how long something takes: the wall clock may be set meanwhile. */
  monotonic(): number;
  readonly store: Store;
  readonly rows: ObjectRows;
  /** Every object by its identifier, whatever source holds it. */
  readonly objects: ObjectRouter;
  /** Limits the contents of objects that are open at a time. */
  readonly room: ContentRoom;
  /** The kinds of keys; the first kind that holds an object's key opens it. */
  readonly keyKinds: readonly KeyKind[];
  /** Multi-part operations. */
  readonly streams: Streams;
  readonly random: SeededRandom;
  /** Runs long work. */
  readonly aside: Aside;
  /** Of requests that are answered later. */
  readonly asynchronous: Asynchronous;
  /** Which messages get a line in the log. */
  readonly correlations: CorrelationRate;
}

/** What one key server of a thread has for itself. */
export type Over = Pick<KeyServer, 'rows' | 'store' | 'log' | 'requestId'>;
