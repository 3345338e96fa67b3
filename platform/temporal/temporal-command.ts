import type { BridgeConfig } from '../config/config.ts';

/** How people call Temporal's command line for our runs, as details of runs and messages show it. */
export const temporalCommand = ({
  TEMPORAL_COMMAND: given,
  TEMPORAL_ADDRESS: address,
  TEMPORAL_NAMESPACE: namespace,
}: Pick<BridgeConfig, 'TEMPORAL_COMMAND' | 'TEMPORAL_ADDRESS' | 'TEMPORAL_NAMESPACE'>): string =>
  given ?? `TEMPORAL_ADDRESS=${quoted(address)} TEMPORAL_NAMESPACE=${quoted(namespace)} temporal`;

/** A word of a shell. */
const quoted = (text: string): string =>
  /^[\w.:/@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
