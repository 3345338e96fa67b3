import { tableText } from '../terminal/table.ts';
import type { HostLine } from './host-progress.ts';

export interface TableOptions {
  /** Further hosts are only counted. */
  readonly limit?: number;
  /** Width of the terminal in columns. */
  readonly width?: number | undefined;
}

/** The hosts as a table. There is a column for errors only when there are errors. */
export function hostTable(
  hosts: readonly HostLine[],
  { limit = hosts.length, width = 120 }: TableOptions = {},
): string {
  const shown = hosts.slice(0, limit);
  const hasErrors = shown.some((host) => host.error !== undefined);
  const rows = shown.map((host) => [
    host.name,
    `${host.isThere ? '✔' : ' '} ${host.state}`,
    host.wanted,
    host.power,
    ...(hasErrors ? [shortened(host.error ?? '')] : [host.hardware]),
  ]);
  const head = ['HOST', 'STATE', 'WANTED', 'POWER', hasErrors ? 'ERROR' : 'HARDWARE'];
  const table = tableText(head, rows, hasErrors ? { width, wordWrap: true } : undefined);
  const more = hosts.length > limit ? `\n… and ${hosts.length - limit} more` : '';
  return `${table}${more}\n${tally(hosts)}`;
}

/** The complete error is printed at the end and shown by `kubectl describe`. */
const shortened = (text: string): string => (text.length > 170 ? `${text.slice(0, 170)}…` : text);

function tally(hosts: readonly HostLine[]): string {
  const there = hosts.filter((host) => host.isThere).length;
  const failing = hosts.filter((host) => host.error !== undefined).length;
  return `${there} of ${hosts.length} in their desired state${failing > 0 ? `, ${failing} failing` : ''}`;
}
