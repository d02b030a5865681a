// Attention of several heads, and the loss at the end of a decoder, with their gradients.
import { Matrix, type Tape } from './tape.ts';

export interface Span {
  readonly batch: number;
  readonly heads: number;
  /** Rows of each sequence that asks, and of each that is asked, padding included. */
  readonly queries: number;
  readonly keys: number;
  /** How many keys of a sequence a query may see. */
  seen(sequence: number, query: number): number;
}

export function attend(tape: Tape, q: Matrix, k: Matrix, v: Matrix, span: Span): Matrix {
  const out = new Matrix(q.rows, q.cols);
  const shares: Float32Array[] = [];
  eachQuery(q, span, (row, first, seen, from, size) => {
    const share = softmax(Float32Array.from({ length: seen }, (_, j) => dot(q, row, k, first + j, from, size) / Math.sqrt(size)));
    for (let j = 0; j < seen; j++) addRow(out.data, row, v.data, first + j, q.cols, from, size, share[j] as number);
    shares.push(share);
  });
  tape.record(() => {
    let next = 0;
    eachQuery(q, span, (row, first, seen, from, size) => {
      const share = shares[next++] as Float32Array;
      const slopes = Float32Array.from({ length: seen }, (_, j) => dotOf(out.grad, row, v.data, first + j, q.cols, from, size));
      const mean = slopes.reduce((sum, slope, j) => sum + slope * (share[j] as number), 0);
      for (let j = 0; j < seen; j++) {
        const part = share[j] as number;
        const slope = (part * ((slopes[j] as number) - mean)) / Math.sqrt(size);
        addRow(v.grad, first + j, out.grad, row, q.cols, from, size, part);
        addRow(q.grad, row, k.data, first + j, q.cols, from, size, slope);
        addRow(k.grad, first + j, q.data, row, q.cols, from, size, slope);
      }
    });
  });
  return out;
}

type Visit = (row: number, firstKey: number, seen: number, fromColumn: number, columns: number) => void;

function eachQuery(q: Matrix, span: Span, visit: Visit): void {
  const size = q.cols / span.heads;
  for (let sequence = 0; sequence < span.batch; sequence++)
    for (let head = 0; head < span.heads; head++)
      for (let query = 0; query < span.queries; query++)
        visit(sequence * span.queries + query, sequence * span.keys, span.seen(sequence, query), head * size, size);
}

function dot(a: Matrix, i: number, b: Matrix, j: number, from: number, size: number): number {
  return dotOf(a.data, i, b.data, j, a.cols, from, size);
}

function dotOf(a: Float32Array, i: number, b: Float32Array, j: number, cols: number, from: number, size: number): number {
  let sum = 0;
  for (let c = from; c < from + size; c++) sum += (a[i * cols + c] as number) * (b[j * cols + c] as number);
  return sum;
}

function addRow(to: Float32Array, i: number, what: Float32Array, j: number, cols: number, from: number, size: number, factor: number): void {
  for (let c = from; c < from + size; c++) to[i * cols + c] = (to[i * cols + c] as number) + factor * (what[j * cols + c] as number);
}

function softmax(values: Float32Array): Float32Array {
  const most = values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const powers = values.map((value) => Math.exp(value - most));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
}

/** @returns what the rows say of each word: x * table(transposed) + bias */
export function logitsOf(x: Matrix, table: Matrix, bias: Matrix, row: number): Float32Array {
  return Float32Array.from({ length: table.rows }, (_, word) => dotOf(x.data, row, table.data, word, x.cols, 0, x.cols) + (bias.data[word] as number));
}

/** Sets the gradients of the mean cross-entropy. @param targets word of each row, -1 for rows that do not count @returns the loss */
export function lossOf(x: Matrix, table: Matrix, bias: Matrix, targets: Int32Array): number {
  const counted = targets.filter((target) => target >= 0).length;
  let loss = 0;
  for (const [row, target] of targets.entries()) {
    if (target < 0) continue;
    const share = softmax(logitsOf(x, table, bias, row));
    loss -= Math.log((share[target] as number) + 1e-12) / counted;
    for (let word = 0; word < share.length; word++) {
      const slope = ((share[word] as number) - (word === target ? 1 : 0)) / counted;
      bias.grad[word] = (bias.grad[word] as number) + slope;
      addRow(x.grad, row, table.data, word, x.cols, 0, x.cols, slope);
      addRow(table.grad, word, x.data, row, x.cols, 0, x.cols, slope);
    }
  }
  return loss;
}
