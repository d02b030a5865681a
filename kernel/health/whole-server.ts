// The view that a front has of the whole server: what is not ready, and the metrics of all threads.

/** What a front knows only from the whole server. */
export interface WholeServer {
  /** Names of the parts that are not ready, each with its reason. */
  notReady(): Promise<readonly string[]>;
  /** What works less than it should although all parts are ready. */
  degraded(): Promise<readonly string[]>;
  /** The metrics of all threads, in the text format of Prometheus. */
  scrape(): Promise<string>;
}
