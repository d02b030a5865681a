// A request as it arrives, with its headers in an object that has the same shape for all clients.
import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Node collects headers in `{}`, whose hidden class tells the names and their order. Each of the first five clients that sends others would then make V8
 * give up what it has compiled for the whole way of a request. The object here is a dictionary, as V8 makes all objects without a prototype, and has one class.
 */
export class ReceivedRequest extends IncomingMessage {
  constructor(socket: Socket) {
    super(socket);
    this.headers = Object.create(null);
  }
}
