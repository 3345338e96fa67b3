import { CLUSTER_LABELS } from '../../domain/cluster-api/names.ts';
import { defined } from '../../domain/defined.ts';
import { type Cause, diagnose } from '../../domain/diagnosis/diagnose.ts';
import type { SeenOutage } from '../../domain/diagnosis/sight.ts';
import type { UsualTimes } from '../../domain/usual-times/usual-times.ts';
import { KINDS } from '../../kube/kinds.ts';
import { readMetadata } from '../../kube/objects/metadata.ts';
import { readMetal3Machine } from '../../kube/objects/metal3machine.ts';
import type { Named } from '../../kube/paths.ts';
import { searchOfMetal3Machine } from '../choice-of-host.ts';
import { type Reading, readingOnce } from '../reading.ts';
import { machineStands } from './explanation.ts';
import { type Chain, clusterAt } from './gather.ts';
import { causeLines, section, withoutOutage } from './render.ts';
import { sightOf } from './sights.ts';
import { usualTimesIn } from './usual-times.ts';

/** A cluster and its machines. Plain JSON: this is what `--output json` prints. */
export interface ClusterExplanation {
  readonly kind: 'Cluster';
  readonly namespace: string;
  readonly name: string;
  readonly stands: string;
  /** Causes at the Cluster itself, and an outage of Temporal. */
  readonly causes: readonly Cause[];
  readonly machines: readonly MachineLine[];
  readonly unread: readonly string[];
}

interface MachineLine {
  readonly name: string;
  readonly host: string;
  readonly stands: string;
  readonly causes: readonly Cause[];
}

/** undefined: there is no such Cluster, or it could not be read. Each kind is listed once. */
export async function clusterExplanation(
  reading: Reading,
  { namespace, name }: Named,
  bridgeNamespace: string,
  now: number,
  temporal?: SeenOutage,
): Promise<ClusterExplanation | undefined> {
  const found = await clusterAt(reading, { namespace, name });
  if (found.cluster === undefined) return undefined;
  const ofCluster = `${CLUSTER_LABELS.clusterName}=${name}`;
  const [metal3Machines = [], machines = [], hosts, times] = await Promise.all([
    reading.list(KINDS.metal3Machine, namespace, ofCluster),
    reading.list(KINDS.machine, namespace, ofCluster),
    reading.list(KINDS.host, namespace),
    usualTimesIn(reading, bridgeNamespace),
  ]);
  const outage = temporal === undefined ? {} : { temporal };
  const sight = sightOf({ ...found, missingSecrets: [] }, outage, times, now);
  const once = readingOnce(reading);
  const lines = await Promise.all(metal3Machines.map((each) => lineOf(once, each, machines, hosts, times, now)));
  return {
    kind: 'Cluster',
    namespace,
    name,
    stands: `${sight.cluster?.paused ? 'paused, ' : ''}${countOf(lines)}`,
    causes: diagnose(sight),
    machines: lines,
    unread: reading.unread,
  };
}

async function lineOf(
  reading: Pick<Reading, 'find' | 'list'>,
  metal3Machine: unknown,
  machines: readonly unknown[],
  hosts: readonly unknown[] | undefined,
  times: UsualTimes,
  now: number,
): Promise<MachineLine> {
  const { metadata, host: hostName } = readMetal3Machine(metal3Machine);
  const named = (name: string | undefined, objects: readonly unknown[]): unknown =>
    objects.find((object) => readMetadata(object).name === name);
  const machine = named(metadata.ownerReferences.find(({ kind }) => kind === KINDS.machine.kind)?.name, machines);
  const host = named(hostName, hosts ?? []);
  const chain: Chain = {
    metal3Machine,
    ...defined({ machine, host }),
    ...(hostName === undefined &&
      hosts !== undefined && { search: await searchOfMetal3Machine(reading, metal3Machine, machine, hosts) }),
    missingSecrets: [],
  };
  const sight = sightOf(chain, {}, times, now);
  return {
    name: metadata.name,
    host: hostName ?? '',
    stands: machineStands(sight),
    causes: diagnose(sight),
  };
}

function countOf(lines: readonly MachineLine[]): string {
  const troubled = lines.filter(({ causes }) => causes.length > 0).length;
  const machines = lines.length === 1 ? '1 machine' : `${lines.length} machines`;
  return troubled === 0 ? machines : `${machines}, ${troubled} of them not as desired`;
}

/** The explanation of a cluster for people, line by line. */
export function clusterLines(explained: ClusterExplanation): readonly string[] {
  const { namespace, name, stands, causes, machines, unread } = explained;
  const width = Math.max(0, ...machines.map((machine) => machine.name.length));
  const { outage, others } = withoutOutage(causes);
  return [
    `Cluster ${namespace}/${name}: ${stands}`,
    ...outage,
    ...section(
      'Why',
      others.flatMap((cause) => causeLines(cause)),
    ),
    ...section(
      'Machines',
      machines.map((machine) => `${machine.name.padEnd(width)}  ${machine.stands}${causesOf(machine)}`),
    ),
    ...section(
      'More about one of them',
      machines.length === 0 ? [] : [`npx temper explain machine ${machines[0]?.name ?? 'NAME'} -n ${namespace}`],
    ),
    ...section('Not looked at', unread),
  ];
}

const causesOf = ({ causes }: MachineLine): string =>
  causes.length === 0 ? '' : `; ${causes.map(({ id, cause }) => `${id}: ${cause}`).join(' ')}`;
