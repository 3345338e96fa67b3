import { z } from 'zod';
import { hostCollection } from '../../../kube/paths.ts';
import { kubectl } from '../../e2e/support/hosts.ts';
import type { TestLab } from '../../e2e/support/lab.ts';
import { requestsRecorded } from '../../e2e/support/recorded.ts';
import { LEFT_HOSTS } from './hosts.ts';
import { CLUSTER_HOSTS, nodesOf, serversOf } from './servers.ts';
import { changedValues, differences, partsOf, type StoredObjects, storedObjects, valuesIn } from './stored.ts';
import { NAMESPACE } from './story.ts';

/** What the record of the way back consists of: `way-back.json`, made by scripts/record-way-back.ts. */

const text = z.record(z.string(), z.string());
/** A value before and after; null: it was not there. */
const changes = z.record(z.string(), z.tuple([z.unknown(), z.unknown()]));
type Changes = z.infer<typeof changes>;

const look = z.object({
  /** By host. */
  hosts: text,
  servers: text,
  /** By claim. */
  addresses: text,
});
type Look = z.infer<typeof look>;

export const wayBack = z.object({
  /** Bridge and workers have ended. */
  left: look,
  /** What `temper uninstall --for-metal3` printed, and changed. */
  uninstalled: z.object({ said: z.array(z.string()), changed: changes }),
  /** The operators have run for so long, and nobody has changed anything. */
  back: z.object({
    seconds: z.number(),
    look,
    /** Requests to Ironic by their kinds. */
    kinds: z.partialRecord(z.string(), z.number()),
    /** Those that change a node. */
    requests: z.array(z.string()),
    changed: changes,
    nodes: changes,
  }),
  /** Then objects were changed. */
  on: z.object({ look, requests: z.array(z.string()) }),
});
export type WayBack = z.infer<typeof wayBack>;

/** Without the one that has no machine. */
const HOSTS: readonly string[] = [...Object.keys(LEFT_HOSTS).filter((name) => name !== 'unmanaged'), ...CLUSTER_HOSTS];

const image = z.looseObject({ url: z.string() });
const statuses = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      status: z.object({
        operationalStatus: z.string(),
        errorType: z.string().default(''),
        poweredOn: z.boolean(),
        provisioning: z.object({ state: z.string(), ID: z.string(), image: image.optional() }),
      }),
    }),
  ),
});

const hostsOf = async ({ kube }: TestLab) =>
  statuses.parse(await kube.request({ path: hostCollection(NAMESPACE) })).items;

/** `plain-1MiB.raw` */
const fileOf = (of: unknown): string => image.safeParse(of).data?.url.split('/').at(-1) ?? '';

const sentence = (...words: readonly string[]): string => words.filter((word) => word !== '').join(', ');

export async function lookAt(lab: TestLab): Promise<Look> {
  const hosts = (await hostsOf(lab)).map(({ metadata: { name }, status }) => {
    const { provisioning, operationalStatus, poweredOn, errorType } = status;
    const power = poweredOn ? 'on' : 'off';
    return [
      name,
      sentence(provisioning.state, operationalStatus, errorType, power, fileOf(provisioning.image)),
    ] as const;
  });
  const servers = Object.entries(await serversOf(lab, HOSTS)).map(([name, { power, powerOffs, disk }]) => {
    const { writes, erasures } = disk;
    return [
      name,
      sentence(power, `${powerOffs} power-offs`, `${writes} writes`, `${erasures} erasures`, fileOf(disk.image)),
    ] as const;
  });
  const addresses = await kubectl(lab, [
    'get',
    'ipaddresses.ipam.metal3.io',
    '-o',
    'jsonpath={range .items[*]}{.spec.claim.name} {.spec.address}{"\\n"}{end}',
  ]);
  return {
    hosts: Object.fromEntries(hosts),
    servers: Object.fromEntries(servers),
    addresses: Object.fromEntries(
      addresses
        .trim()
        .split('\n')
        .map((line) => line.split(' ', 2) as [string, string]),
    ),
  };
}

/** The names of hosts by their nodes in Ironic. */
export const namesOf = async (lab: TestLab): Promise<ReadonlyMap<string, string>> =>
  new Map(
    (await hostsOf(lab)).flatMap(({ metadata: { name }, status: { provisioning } }) =>
      provisioning.ID === '' ? [] : [[provisioning.ID, name]],
    ),
  );

const CHANGING = ['provision', 'power', 'create node', 'change node', 'delete node'];
/** Requests that change a node, with their answers: `plain: provision active 202`. */
export const changing = async (lab: TestLab, names: ReadonlyMap<string, string>): Promise<string[]> =>
  (await requestsRecorded(lab))
    .filter(({ kind }) => CHANGING.includes(kind))
    .map(({ kind, node = '', target = '', status }) => {
      const words = [kind, target, String(status)].filter((word) => word !== '');
      return `${names.get(node) ?? node}: ${words.join(' ')}`;
    });

export interface Stored {
  readonly objects: StoredObjects;
  readonly nodes: Awaited<ReturnType<typeof nodesOf>>;
}

export const storedIn = async (lab: TestLab): Promise<Stored> => ({
  objects: await storedObjects(lab.kube),
  nodes: await nodesOf(lab, HOSTS),
});

/** Objects of Metal3 and what Cluster API shows of them. Of Secrets only the metadata. */
const OF_METAL3 = new RegExp(
  `^(?:\\w+\\.(?:metal3\\.io|infrastructure\\.cluster\\.x-k8s\\.io|ipam\\.metal3\\.io|cluster\\.x-k8s\\.io)) ${NAMESPACE}/|^Secret ${NAMESPACE}/\\S+ metadata\\.`,
);

export const changedObjects = (before: Stored, after: Stored): Changes =>
  withNull(differences(before.objects, after.objects), (path) => OF_METAL3.test(path));

/** Heartbeats of agents and times of power. */
const INTERNAL = /^\S+ driver_internal_info\./;

export function changedNodes(before: Stored, after: Stored): Changes {
  const [was, is] = [before, after].map(({ nodes }) =>
    valuesIn(Object.entries(nodes).flatMap(([name, node]) => partsOf(name, node))),
  );
  return withNull(changedValues(was ?? new Map(), is ?? new Map()), (path) => !INTERNAL.test(path));
}

const withNull = (all: ReturnType<typeof changedValues>, isKept: (path: string) => boolean): Changes =>
  Object.fromEntries(
    Object.entries(all)
      .filter(([path]) => isKept(path))
      .map(([path, [was = null, is = null]]) => [path, [was, is]]),
  );
