import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { type AnyLab, getHost } from './hosts.ts';
import type { TestLab } from './lab.ts';

const logLine = z.looseObject({
  objectNamespace: z.string().optional(),
  objectName: z.string().optional(),
  objectUid: z.string().optional(),
  runId: z.string().optional(),
  msg: z.string().optional(),
});
type LogLine = z.infer<typeof logLine>;

interface LoggedHosts {
  readonly namespace: string;
  /** Their names by uid. */
  readonly hosts: ReadonlyMap<string, string>;
  /** Ids of the nodes that they have had. */
  readonly nodes: ReadonlySet<string>;
}

/**
 * The lines of a log in which one of these hosts appears anywhere, by its uid, by the id of its node or as
 * `namespace/name`, so that a line without the fields of a host is found too.
 */
export function linesAbout(log: string, { namespace, hosts, nodes }: LoggedHosts): readonly LogLine[] {
  const names = [...hosts.values()].map((name) => new RegExp(`\\b${namespace}/${name}(?![\\w-]|\\.\\w)`));
  const ids = [...hosts.keys(), ...nodes];
  const isAbout = (line: string): boolean =>
    ids.some((id) => line.includes(id)) || names.some((name) => name.test(line));
  return log
    .split('\n')
    .filter((line) => line.startsWith('{') && isAbout(line))
    .map((line) => logLine.parse(JSON.parse(line)));
}

/** The fields that a line about a host lacks: its namespace, name and uid, and in the log of the workers the run. */
export const missingIn = (
  { objectNamespace, objectName, objectUid, runId }: LogLine,
  { service, namespace }: { readonly service: Service; readonly namespace: string },
): readonly string[] => [
  ...(objectNamespace === namespace ? [] : ['objectNamespace']),
  ...(objectName === undefined ? ['objectName'] : []),
  ...(objectUid === undefined ? ['objectUid'] : []),
  ...(runId === undefined && service === 'workers' ? ['runId'] : []),
];

const SERVICES = ['bridge', 'workers'] as const;
type Service = (typeof SERVICES)[number];

/**
 * What bridge and workers have logged about the hosts, and the lines in which a field is missing. The bridge forgets a
 * host that is gone, so its lines may lack the uid of one.
 */
export async function loggedAbout(lab: AnyLab & Pick<TestLab, 'logOf'>, about: LoggedHosts) {
  const { namespace } = about;
  const lines = (
    await Promise.all(
      SERVICES.map(async (service) => {
        const found = linesAbout(await readFile(lab.logOf(service), 'utf8'), about);
        return found.map((line) => ({ service, line, missing: missingIn(line, { service, namespace }) }));
      }),
    )
  ).flat();
  const isForgotten = async ({ service, line, missing }: (typeof lines)[number]): Promise<boolean> =>
    service === 'bridge' && missing.join() === 'objectUid' && (await getHost(lab, line.objectName ?? '')) === undefined;
  const faulty = lines.filter(({ missing }) => missing.length > 0);
  const forgotten = await Promise.all(faulty.map(isForgotten));
  return {
    byWorkers: lines.flatMap(({ service, line: { msg } }) => (service === 'workers' ? [msg] : [])),
    byBridge: lines.flatMap(({ service, line: { msg } }) => (service === 'bridge' ? [msg] : [])),
    nameless: faulty.filter((_, at) => !forgotten[at]),
  };
}
