/** A list of runs that people look for, as a query of the Web UI. */
export interface View {
  readonly name: string;
  readonly query: string;
}

const OPEN = 'ExecutionStatus = "Running"';

/** The views of docs/web-ui.md. No query has a time: the browser keeps it, and queries know no relative times. */
export const VIEWS: readonly View[] = [
  { name: 'hosts', query: `${OPEN} AND TemperKind = "BareMetalHost"` },
  { name: 'stuck', query: `${OPEN} AND TemperWaitsFor = "stuck"` },
  { name: 'in error', query: `${OPEN} AND TemperError IS NOT NULL` },
  { name: 'waiting', query: `${OPEN} AND TemperWaitsFor IS NOT NULL` },
  { name: 'waiting for hardware', query: `${OPEN} AND TemperWaitsFor IN ("hardware", "stuck")` },
  { name: 'waiting for a person', query: `${OPEN} AND TemperWaitsFor = "person"` },
  { name: 'failed operations', query: 'ExecutionStatus = "Failed" AND TemperOperation IS NOT NULL' },
];

/** The part of a link behind `/workflows`. With a name, the Web UI keeps the query as a saved view of the browser. */
export const searchFor = ({ name, query }: View): string =>
  `?query=${encodeURIComponent(query)}&savedQuery=${encodeURIComponent(name)}`;

export const linkTo = (webUi: string, view: View): string => `${webUi}/namespaces/default/workflows${searchFor(view)}`;
