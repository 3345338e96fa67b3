import { labStatus } from '../../../lab/detached/running-lab.ts';

/**
 * A counter of Temporal's server since its start: the sum over all series with these labels. In label values, the
 * server writes `_` for `-`.
 */
export async function temporalCount(
  { dir }: { readonly dir: string },
  metric: string,
  labels: Readonly<Record<string, string>>,
): Promise<number> {
  const address = `http://127.0.0.1:${labStatus(dir).ports['temporalMetrics']}/metrics`;
  const lines = (await (await fetch(address)).text()).split('\n');
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value.replaceAll('-', '_')}"`);
  return lines
    .filter((line) => line.startsWith(`${metric}{`) && wanted.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
