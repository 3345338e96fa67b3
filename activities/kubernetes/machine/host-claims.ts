import { z } from 'zod';
import type { ConsumedHost } from '../../../api/baremetalhost/consumed.ts';
import { ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { objectMeta } from '../../../api/meta/object-meta.ts';
import { CLUSTER_ANNOTATIONS, CLUSTER_LABELS } from '../../../domain/cluster-api/names.ts';
import { clusterConsumer, consumerOf, isConsumer } from '../../../domain/machine/host-facts.ts';
import { HOST_LABELS, PAUSED_BY_CLUSTER } from '../../../domain/machine/names.ts';
import type { HostAnswer, HostClaimOrder, ReleaseOrder } from '../../../domain/machine/step.ts';
import type { Kube } from '../../../kube/client.ts';
import { whileContended } from '../../../kube/contended.ts';
import { isObjectName, secretPath } from '../../../kube/paths.ts';
import { patchHost } from './machine-host.ts';
import { keepsHosts, reuseLabel } from './node-reuse.ts';

export interface HostClaimActivities {
  /** Makes the host the machine's, unless somebody else has it. Idempotent. */
  takeHost(order: HostClaimOrder): Promise<HostAnswer>;
  /** Makes the host nobody's, or keeps it for the next machine of the same kind. Idempotent; another's is left alone. */
  giveHostBack(order: ReleaseOrder): Promise<HostAnswer>;
}

export function createHostClaimActivities(kube: Kube): HostClaimActivities {
  return {
    async takeHost({ host, machine, clusterName, reuse }) {
      const mayTake = ({ spec, metadata }: ConsumedHost): boolean => {
        const kept = metadata.labels[HOST_LABELS.nodeReuse];
        if (metadata.deletionTimestamp !== undefined) return false;
        if (isConsumer(spec.consumerRef, machine)) return true;
        if (kept !== undefined) return kept === reuse && (spec.consumerRef?.kind ?? 'Cluster') === 'Cluster';
        return spec.consumerRef === undefined;
      };
      const facts = await patchHost(kube, host, (read) => {
        if (!mayTake(read)) return undefined;
        const { labels } = read.metadata;
        const isLabelled = clusterName === '' || labels[CLUSTER_LABELS.clusterName] === clusterName;
        if (isConsumer(read.spec.consumerRef, machine) && isLabelled && !(HOST_LABELS.nodeReuse in labels))
          return undefined;
        return {
          metadata: {
            labels: {
              ...(clusterName !== '' && { [CLUSTER_LABELS.clusterName]: clusterName }),
              ...(HOST_LABELS.nodeReuse in labels && { [HOST_LABELS.nodeReuse]: null }),
            },
          },
          spec: { consumerRef: consumerOf(machine) },
        };
      });
      if (facts === null) return { kind: 'host', host: null };
      if (!isConsumer(facts.consumer, machine)) return { kind: 'taken', by: facts.consumer ?? null };
      if (clusterName !== '') await labelSecret(kube, secretOf(facts), clusterName);
      return { kind: 'host', host: facts };
    },

    async giveHostBack({ host, machine, clusterName, reuse }) {
      const place = reuse && { ...reuse, namespace: machine.namespace };
      const kept = place && (await keepsHosts(kube, place)) ? await reuseLabel(kube, place) : undefined;
      const facts = await patchHost(kube, host, async (read) => {
        if (!isConsumer(read.spec.consumerRef, machine)) return undefined;
        const { labels, annotations, namespace } = read.metadata;
        const secret = secretOf({ namespace, credentialsName: read.spec.credentialsName });
        // First of all: once the host is nobody's, or another's, whoever tries again has nothing more to do with it.
        await unlabelSecret(kube, secret, clusterName);
        const drop = (present: boolean, key: string): object => (present ? { [key]: null } : {});
        return {
          metadata: {
            labels: {
              ...drop(labels[CLUSTER_LABELS.clusterName] === clusterName, CLUSTER_LABELS.clusterName),
              ...(kept !== undefined && { [HOST_LABELS.nodeReuse]: kept }),
            },
            annotations: {
              ...drop(annotations[ANNOTATIONS.paused] === PAUSED_BY_CLUSTER, ANNOTATIONS.paused),
              // A host that nobody has would hold up every move for ever.
              ...drop(CLUSTER_ANNOTATIONS.blockMove in annotations, CLUSTER_ANNOTATIONS.blockMove),
            },
          },
          spec: { consumerRef: kept !== undefined && reuse ? clusterConsumer(reuse.cluster) : null },
        };
      });
      return { kind: 'host', host: facts };
    },
  };
}

const secretOf = (host: { readonly namespace: string; readonly credentialsName: string }) => ({
  namespace: host.namespace,
  name: host.credentialsName,
});

const labelled = z.object({ metadata: objectMeta });
type Named = ReturnType<typeof secretOf>;

/** The BMC's Secret goes with the cluster when that is moved. One that is missing is no reason not to have the host. */
const labelSecret = (kube: Kube, secret: Named, clusterName: string): Promise<void> =>
  changeLabel(kube, secret, (label) => (label === clusterName ? undefined : clusterName));

const unlabelSecret = (kube: Kube, secret: Named, clusterName: string): Promise<void> =>
  changeLabel(kube, secret, (label) => (label === clusterName ? null : undefined));

async function changeLabel(
  kube: Kube,
  secret: Named,
  wanted: (label: string | undefined) => string | null | undefined,
): Promise<void> {
  if (!isObjectName(secret.name)) return;
  await whileContended(async () => {
    const found = await kube.find(secretPath(secret));
    if (found === undefined) return;
    const { labels = {}, resourceVersion } = labelled.parse(found).metadata;
    const label = wanted(labels[CLUSTER_LABELS.clusterName]);
    if (label === undefined) return;
    await kube.patch(secretPath(secret), {
      metadata: { resourceVersion, labels: { [CLUSTER_LABELS.clusterName]: label } },
    });
  });
}
