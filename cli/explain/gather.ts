import { CLUSTER_LABELS } from '../../domain/cluster-api/names.ts';
import type { MissingSecret } from '../../domain/diagnosis/sight.ts';
import { KINDS } from '../../kube/kinds.ts';
import { readHost } from '../../kube/objects/baremetalhost.ts';
import { readCluster } from '../../kube/objects/cluster.ts';
import { readMachine } from '../../kube/objects/machine.ts';
import { ownerOf, readMetadata } from '../../kube/objects/metadata.ts';
import { readDataClaim } from '../../kube/objects/metal3dataclaim.ts';
import { readMetal3Machine } from '../../kube/objects/metal3machine.ts';
import { secretsNamedBy } from '../../kube/objects/sight.ts';
import type { Named } from '../../kube/paths.ts';
import { metal3MachineCalled } from '../called-machine.ts';
import type { Reading } from '../reading.ts';

/** The objects of a chain as they were read; absent: there is none, or it could not be read. */
export interface Chain {
  readonly cluster?: unknown;
  readonly metal3Cluster?: unknown;
  readonly machine?: unknown;
  readonly metal3Machine?: unknown;
  readonly claim?: unknown;
  readonly data?: unknown;
  readonly host?: unknown;
  /** All hosts of the namespace, for a machine that looks for one. */
  readonly hosts?: readonly unknown[];
  readonly missingSecrets: readonly MissingSecret[];
}

/** The chain from a host upwards. undefined: there is no such host, or it could not be read. */
export async function chainOfHost(reading: Reading, name: Named): Promise<Chain | undefined> {
  const host = await reading.find(KINDS.host, name);
  if (host === undefined) return undefined;
  const { kind, name: consumer, namespace = name.namespace } = readHost(host).spec.consumerRef ?? {};
  const metal3Machine =
    kind === KINDS.metal3Machine.kind && consumer !== undefined
      ? await reading.find(KINDS.metal3Machine, { namespace, name: consumer })
      : undefined;
  return { host, ...(await above(reading, metal3Machine)), missingSecrets: await missingOf(reading, host) };
}

/** The chain of a Metal3Machine, or of a Machine of that name, in both directions. */
export async function chainOfMachine(reading: Reading, name: Named): Promise<Chain | undefined> {
  const metal3Machine = await metal3MachineCalled(reading, name);
  if (metal3Machine === undefined) return undefined;
  const { metadata, host: hostName } = readMetal3Machine(metal3Machine);
  const { namespace } = metadata;
  const host = hostName === undefined ? undefined : await reading.find(KINDS.host, { namespace, name: hostName });
  const hosts = hostName === undefined ? await reading.list(KINDS.host, namespace) : undefined;
  return {
    ...(host !== undefined && { host }),
    ...(hosts !== undefined && { hosts }),
    ...(await above(reading, metal3Machine)),
    missingSecrets: host === undefined ? [] : await missingOf(reading, host),
  };
}

type Above = Pick<Chain, 'cluster' | 'metal3Cluster' | 'machine' | 'metal3Machine' | 'claim' | 'data'>;

async function above(reading: Reading, metal3Machine: unknown): Promise<Above> {
  if (metal3Machine === undefined) return {};
  const metadata = readMetadata(metal3Machine);
  const { namespace, labels } = metadata;
  const owner = ownerOf(metadata, KINDS.machine);
  const machine = owner && (await reading.find(KINDS.machine, { namespace, name: owner.name }));
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

/** The Secrets that the spec of a host names and that do not exist, as far as that may be read. */
async function missingOf(reading: Reading, host: unknown): Promise<readonly MissingSecret[]> {
  const { namespace } = readMetadata(host);
  const found = await Promise.all(
    secretsNamedBy(host).map(async (secret) => ({
      secret,
      isThere: await reading.hasSecret({ namespace, name: secret.name }),
    })),
  );
  return found.filter(({ isThere }) => isThere === false).map(({ secret }) => secret);
}
