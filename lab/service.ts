/** One long-running process of the lab: pure data and a health check, so that one supervisor can run them all. */
export interface Service {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment of the supervisor. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stopSignal?: 'SIGTERM' | 'SIGINT';
  /** Resolves once the process serves; the signal is aborted when it died or took too long. */
  ready(signal: AbortSignal): Promise<void>;
}
