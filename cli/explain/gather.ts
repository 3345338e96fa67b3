import { CLUSTER_LABELS } from '../../domain/cluster-api/names.ts';
import type { MissingSecret } from '../../domain/diagnosis/sight.ts';
import { ownConsumer } from '../../domain/host/own-consumer.ts';
import { KINDS } from '../../kube/kinds.ts';
import { readHost } from '../../kube/objects/baremetalhost.ts';
import { readCluster } from '../../kube/objects/cluster.ts';
import { readMachine } from '../../kube/objects/machine.ts';
import { readMachineApi } from '../../kube/objects/machine-api.ts';
import { readMetadata } from '../../kube/objects/metadata.ts';
import { readDataClaim } from '../../kube/objects/metal3dataclaim.ts';
import { readMetal3Machine } from '../../kube/objects/metal3machine.ts';
import type { Named } from '../../kube/paths.ts';
import { type CalledMachine, machineAbove, machineCalled } from '../called-machine.ts';
import { type HostSearch, searchOfMetal3Machine } from '../choice-of-host.ts';
import { missingSecrets } from '../missing-secrets.ts';
import type { Reading } from '../reading.ts';

/** The objects of a chain as they were read; absent: there is none, or it could not be read. */
export interface Chain {
  readonly cluster?: unknown;
  readonly metal3Cluster?: unknown;
  readonly machine?: unknown;
  readonly metal3Machine?: unknown;
  /** A Machine of the Machine API, which has its host without the objects above. */
  readonly machineApi?: CalledMachine;
  readonly claim?: unknown;
  readonly data?: unknown;
  readonly host?: unknown;
  /** For a Metal3Machine without a host. */
  readonly search?: HostSearch;
  readonly missingSecrets: readonly MissingSecret[];
}

/** The chain from a host upwards. undefined: there is no such host, or it could not be read. */
export async function chainOfHost(reading: Reading, name: Named): Promise<Chain | undefined> {
  const host = await reading.find(KINDS.host, name);
  if (host === undefined) return undefined;
  const { namespace } = name;
  const { kind, name: consumer } = ownConsumer(namespace, readHost(host).spec.consumerRef) ?? {};
  const metal3Machine =
    kind === KINDS.metal3Machine.kind && consumer !== undefined
      ? await reading.find(KINDS.metal3Machine, { namespace, name: consumer })
      : undefined;
  return { host, ...(await above(reading, metal3Machine)), missingSecrets: await missingSecrets(reading, host) };
}

/** The chain of a Metal3Machine, or of a Machine of that name, in both directions. */
export async function chainOfMachine(reading: Reading, name: Named): Promise<Chain | undefined> {
  const called = await machineCalled(reading, name);
  if (called === undefined) return undefined;
  const { object } = called;
  if (called.kind !== KINDS.metal3Machine)
    return { machineApi: called, ...(await hostAt(reading, name.namespace, hostNamedBy(object))) };
  const { metadata, host: hostName } = readMetal3Machine(object);
  const { namespace } = metadata;
  const hosts = hostName === undefined ? await reading.list(KINDS.host, namespace) : undefined;
  const links = await above(reading, object);
  return {
    ...(await hostAt(reading, namespace, hostName)),
    ...(hosts !== undefined && { search: await searchOfMetal3Machine(reading, object, links.machine, hosts) }),
    ...links,
  };
}

/** Name of the host that a Machine of the Machine API names. A host of another namespace is never its own. */
export function hostNamedBy(machine: unknown): string | undefined {
  const { metadata, link } = readMachineApi(machine);
  return typeof link === 'object' && link.namespace === metadata.namespace ? link.name : undefined;
}

async function hostAt(
  reading: Reading,
  namespace: string,
  name: string | undefined,
): Promise<Pick<Chain, 'host' | 'missingSecrets'>> {
  const host = name === undefined ? undefined : await reading.find(KINDS.host, { namespace, name });
  return host === undefined ? { missingSecrets: [] } : { host, missingSecrets: await missingSecrets(reading, host) };
}

type Above = Pick<Chain, 'cluster' | 'metal3Cluster' | 'machine' | 'metal3Machine' | 'claim' | 'data'>;

async function above(reading: Reading, metal3Machine: unknown): Promise<Above> {
  if (metal3Machine === undefined) return {};
  const { namespace, labels } = readMetadata(metal3Machine);
  const machine = await machineAbove(reading, metal3Machine);
  const ofMachine = machine === undefined ? '' : readMachine(machine).owner.clusterName;
  const clusterName = ofMachine || labels[CLUSTER_LABELS.clusterName] || '';
  return {
    metal3Machine,
    ...(machine !== undefined && { machine }),
    ...(await dataOf(reading, metal3Machine)),
    ...(clusterName !== '' && (await clusterAt(reading, { namespace, name: clusterName }))),
  };
}

export async function clusterAt(reading: Reading, name: Named): Promise<Pick<Chain, 'cluster' | 'metal3Cluster'>> {
  const cluster = await reading.find(KINDS.cluster, name);
  if (cluster === undefined) return {};
  const { infrastructure } = readCluster(cluster);
  const found =
    infrastructure === ''
      ? undefined
      : await reading.find(KINDS.metal3Cluster, { namespace: name.namespace, name: infrastructure });
  return { cluster, ...(found !== undefined && { metal3Cluster: found }) };
}

/** The data of a Metal3Machine, by its data claim, which has the same name. */
async function dataOf(reading: Reading, metal3Machine: unknown): Promise<Pick<Chain, 'claim' | 'data'>> {
  const { metadata, facts } = readMetal3Machine(metal3Machine);
  if (facts.dataTemplate?.name === undefined) return {};
  const { namespace, name } = metadata;
  const claim = await reading.find(KINDS.dataClaim, { namespace, name });
  if (claim === undefined) return {};
  const rendered = readDataClaim(claim).status.renderedData?.name;
  const data = rendered === undefined ? undefined : await reading.find(KINDS.data, { namespace, name: rendered });
  return { claim, ...(data !== undefined && { data }) };
}
