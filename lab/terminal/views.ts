/** A list of runs that people look for, as a query of the Web UI. */
export interface View {
  readonly name: string;
  readonly query: string;
}

const HOUR_MS = 3_600_000;

const OPEN = 'ExecutionStatus = "Running"';

/** The views of docs/web-ui.md; `now` in ms since the epoch, because queries know no relative times. */
export const viewsAt = (now: number): readonly View[] => [
  { name: 'in error', query: `${OPEN} AND TemperError IS NOT NULL` },
  {
    name: 'stuck for an hour',
    query: `${OPEN} AND TemperWaitsFor IS NOT NULL AND TemperSince < "${new Date(now - HOUR_MS).toISOString()}"`,
  },
  { name: 'waiting for hardware', query: `${OPEN} AND TemperWaitsFor = "hardware"` },
  { name: 'waiting for a person', query: `${OPEN} AND TemperWaitsFor = "person"` },
  { name: 'failed operations', query: 'ExecutionStatus = "Failed" AND TemperOperation IS NOT NULL' },
];

export const linkTo = (webUi: string, query: string): string =>
  `${webUi}/namespaces/default/workflows?query=${encodeURIComponent(query)}`;
