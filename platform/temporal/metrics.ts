import getPort from 'get-port';

/** What Temporal's SDK measures, which it tells on a port of its own; on loopback, so that /metrics alone is to be guarded. */
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
