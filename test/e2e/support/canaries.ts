import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { parse, stringify } from 'yaml';
import { withTemporal } from './histories.ts';
import { held } from './needle.ts';

/** What a lab has written, by the place where it was found. */
export type Places = ReadonlyMap<string, Buffer>;

/** The places that contain each of these texts, in whatever encoding. */
export function placesOf(places: Places, needles: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const heldIn = new Map([...places].map(([place, content]) => [place, held(content, needles)]));
  const placesWith = (needle: string) => [...heldIn].filter(([, texts]) => texts.has(needle)).map(([place]) => place);
  return new Map(needles.map((needle) => [needle, placesWith(needle)]));
}

/** The histories of all runs in the Temporal namespace of the file. */
export const historiesOf = (lab: Parameters<typeof withTemporal>[0]): Promise<Places> =>
  withTemporal(lab, async (client) => {
    const places = new Map<string, Buffer>();
    for await (const { workflowId, runId } of client.workflow.list()) {
      const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      places.set(`history of ${workflowId}`, Buffer.from(historyToJSON(history)));
    }
    return places;
  });

const KINDS = [
  ['log', /\.log$|^requests\.jsonl$/],
  ['database', /^temporal.*\.(db|sqlite)/],
] as const;

/** Logs and databases in these folders, by their path below the lab's. */
export async function filesIn(dir: string, folders: readonly string[]): Promise<Places> {
  const places = new Map<string, Buffer>();
  for (const folder of folders) {
    for (const name of await readdir(folder)) {
      const kind = KINDS.find(([, pattern]) => pattern.test(name))?.[0];
      const file = join(folder, name);
      if (kind !== undefined) places.set(`${kind} ${relative(dir, file)}`, await readFile(file));
    }
  }
  return places;
}

type OwnLab = Parameters<typeof withTemporal>[0] &
  Monitored & { readonly dir: string; readonly logOf: (name: 'bridge') => string };

/** Histories, logs of bridge and workers, and metrics of the file that has joined a lab. */
export const ownPlaces = async (lab: OwnLab): Promise<Places> =>
  new Map([
    ...(await historiesOf(lab)),
    ...(await filesIn(lab.dir, [dirname(lab.logOf('bridge'))])),
    ...(await metricsOf(lab)),
  ]);

/** A kubeconfig of the lab's API server with another user. */
export async function kubeconfigOf(
  { endpoints: { kubeconfig } }: { readonly endpoints: { readonly kubeconfig: string } },
  user: object,
): Promise<string> {
  const config = parse(await readFile(kubeconfig, 'utf8')) as { readonly users: readonly object[] };
  return stringify({ ...config, users: config.users.map((each) => ({ ...each, user })) });
}

interface Monitored {
  readonly endpoints: { readonly bridgeMetrics?: string; readonly workersMetrics?: string };
}

/** The metrics of bridge and workers. */
export async function metricsOf({ endpoints: { bridgeMetrics, workersMetrics } }: Monitored): Promise<Places> {
  const read = async (url = ''): Promise<Buffer> => Buffer.from(await (await fetch(url)).arrayBuffer());
  return new Map([
    ['metrics of the bridge', await read(bridgeMetrics)],
    ['metrics of the workers', await read(workersMetrics)],
  ]);
}
