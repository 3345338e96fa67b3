import getPort from 'get-port';

/**
 * The metrics of Temporal's SDK, which it serves on its own port; on loopback, so that only /metrics needs protection.
 */
export interface TemporalMetrics {
  readonly bindAddress: string;
  /** In Prometheus' text format. */
  read(): Promise<string>;
}

export async function temporalMetrics(): Promise<TemporalMetrics> {
  const bindAddress = `127.0.0.1:${await getPort({ host: '127.0.0.1' })}`;
  return {
    bindAddress,
    async read() {
      const response = await fetch(`http://${bindAddress}/metrics`, { signal: AbortSignal.timeout(5_000) });
      return response.text();
    },
  };
}
