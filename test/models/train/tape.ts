// Numbers that know their gradients: the operations of a small transformer on matrices, and how to walk them backwards.

export class Matrix {
  readonly rows: number;
  readonly cols: number;
  readonly data: Float32Array<ArrayBuffer>;
  readonly grad: Float32Array;

  constructor(rows: number, cols: number, data = new Float32Array(rows * cols)) {
    [this.rows, this.cols, this.data] = [rows, cols, data];
    this.grad = new Float32Array(rows * cols);
  }
}

/** What was computed, so that the gradients can be computed in the other direction. */
export class Tape {
  readonly #back: (() => void)[] = [];

  backward(): void {
    for (const step of this.#back.reverse()) step();
  }

  /** x * w + b; the rows of w are inputs, its columns outputs. */
  linear(x: Matrix, w: Matrix, b: Matrix): Matrix {
    const out = new Matrix(x.rows, w.cols);
    for (let i = 0; i < x.rows; i++) {
      out.data.set(b.data, i * w.cols);
      multiplyRow(x.data, i * x.cols, w, out.data, i * w.cols);
    }
    this.#back.push(() => {
      for (let i = 0; i < x.rows; i++)
        for (let p = 0; p < x.cols; p++) {
          const value = x.data[i * x.cols + p] as number;
          let sum = 0;
          for (let j = 0; j < w.cols; j++) {
            const slope = out.grad[i * w.cols + j] as number;
            sum += slope * (w.data[p * w.cols + j] as number);
            w.grad[p * w.cols + j] = (w.grad[p * w.cols + j] as number) + value * slope;
          }
          x.grad[i * x.cols + p] = (x.grad[i * x.cols + p] as number) + sum;
        }
      for (let k = 0; k < out.grad.length; k++) b.grad[k % w.cols] = (b.grad[k % w.cols] as number) + (out.grad[k] as number);
    });
    return out;
  }

  add(a: Matrix, b: Matrix): Matrix {
    const out = new Matrix(
      a.rows,
      a.cols,
      a.data.map((value, k) => value + (b.data[k] as number)),
    );
    this.#back.push(() => {
      for (let k = 0; k < out.grad.length; k++) {
        a.grad[k] = (a.grad[k] as number) + (out.grad[k] as number);
        b.grad[k] = (b.grad[k] as number) + (out.grad[k] as number);
      }
    });
    return out;
  }

  /** x * sigmoid(x) */
  silu(x: Matrix): Matrix {
    const out = new Matrix(
      x.rows,
      x.cols,
      x.data.map((value) => value / (1 + Math.exp(-value))),
    );
    this.#back.push(() => {
      for (let k = 0; k < out.grad.length; k++) {
        const value = x.data[k] as number;
        const gate = 1 / (1 + Math.exp(-value));
        x.grad[k] = (x.grad[k] as number) + (out.grad[k] as number) * (gate + value * gate * (1 - gate));
      }
    });
    return out;
  }

  layerNorm(x: Matrix, gain: Matrix, bias: Matrix): Matrix {
    const out = new Matrix(x.rows, x.cols);
    const normal = new Float32Array(x.data.length);
    const deviations = new Float32Array(x.rows);
    const n = x.cols;
    for (let i = 0; i < x.rows; i++) {
      const row = x.data.subarray(i * n, i * n + n);
      const mean = row.reduce((sum, value) => sum + value, 0) / n;
      const deviation = Math.sqrt(row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / n + 1e-5);
      deviations[i] = deviation;
      for (let j = 0; j < n; j++) {
        const value = ((row[j] as number) - mean) / deviation;
        normal[i * n + j] = value;
        out.data[i * n + j] = value * (gain.data[j] as number) + (bias.data[j] as number);
      }
    }
    this.#back.push(() => {
      for (let i = 0; i < x.rows; i++) normBack(i, x, gain, bias, out, normal, deviations[i] as number);
    });
    return out;
  }

  /** Rows of a table, each multiplied, with the sine waves of its position added. */
  embed(ids: Int32Array, length: number, table: Matrix, waves: Float32Array): Matrix {
    const n = table.cols;
    const scale = Math.sqrt(n);
    const out = new Matrix(ids.length, n);
    for (let k = 0; k < out.data.length; k++) {
      const place = Math.floor(k / n);
      out.data[k] = scale * (table.data[(ids[place] as number) * n + (k % n)] as number) + (waves[(place % length) * n + (k % n)] as number);
    }
    this.#back.push(() => {
      for (let k = 0; k < out.grad.length; k++) {
        const at = (ids[Math.floor(k / n)] as number) * n + (k % n);
        table.grad[at] = (table.grad[at] as number) + scale * (out.grad[k] as number);
      }
    });
    return out;
  }

  /** Runs one step that computes its own gradients, such as attention. */
  record(back: () => void): void {
    this.#back.push(back);
  }
}

function multiplyRow(x: Float32Array, from: number, w: Matrix, out: Float32Array, to: number): void {
  for (let p = 0; p < w.rows; p++) {
    const value = x[from + p] as number;
    for (let j = 0; j < w.cols; j++) out[to + j] = (out[to + j] as number) + value * (w.data[p * w.cols + j] as number);
  }
}

function normBack(i: number, x: Matrix, gain: Matrix, bias: Matrix, out: Matrix, normal: Float32Array, deviation: number): void {
  const n = x.cols;
  let [sum, along] = [0, 0];
  for (let j = 0; j < n; j++) {
    const slope = out.grad[i * n + j] as number;
    gain.grad[j] = (gain.grad[j] as number) + slope * (normal[i * n + j] as number);
    bias.grad[j] = (bias.grad[j] as number) + slope;
    sum += slope * (gain.data[j] as number);
    along += slope * (gain.data[j] as number) * (normal[i * n + j] as number);
  }
  for (let j = 0; j < n; j++) {
    const k = i * n + j;
    const own = (out.grad[k] as number) * (gain.data[j] as number);
    x.grad[k] = (x.grad[k] as number) + (own - sum / n - ((normal[k] as number) * along) / n) / deviation;
  }
}
