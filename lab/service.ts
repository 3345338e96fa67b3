/** One long-running process of the lab: plain data and a health check, so that one supervisor can run them all. */
export interface Service {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment of the supervisor. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stopSignal?: 'SIGTERM' | 'SIGINT';
  /** Resolves when the process is ready; the signal aborts when the process ended or took too long. */
  ready(signal: AbortSignal): Promise<void>;
}
