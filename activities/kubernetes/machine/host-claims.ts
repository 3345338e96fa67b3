import { ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { CLUSTER_ANNOTATIONS, CLUSTER_LABELS } from '../../../domain/cluster-api/names.ts';
import {
  clusterConsumer,
  consumerOf,
  hostFacts,
  isConsumer,
  isCurrentConsumer,
} from '../../../domain/machine/choose-host/host-facts.ts';
import { OCCUPIED, whyNotHad } from '../../../domain/machine/choose-host/may-have.ts';
import { isInUse } from '../../../domain/machine/deletion.ts';
import { annotatedHost } from '../../../domain/machine/memory/memory.ts';
import type { HostAnswer, HostClaimOrder, ReleaseOrder, SecretMarked } from '../../../domain/machine/memory/step.ts';
import { HOST_LABELS, MACHINE_ANNOTATIONS, PAUSED_BY_CLUSTER } from '../../../domain/machine/names.ts';
import { CONTROLLER_FINALIZERS } from '../../../domain/machine-api/names.ts';
import { isPowerOffKey } from '../../../domain/remediation/names.ts';
import type { Kube } from '../../../kube/client.ts';
import { whileContended } from '../../../kube/contended.ts';
import type { BareMetalHostRead } from '../../../kube/objects/baremetalhost.ts';
import { readMachineApi } from '../../../kube/objects/machine-api.ts';
import { readMetadata } from '../../../kube/objects/metadata.ts';
import { isObjectName, secretPath } from '../../../kube/paths.ts';
import { unlessForbidden } from '../refusal.ts';
import { patchHostAnyway } from './machine-host.ts';
import { mustBe, stale } from './machine-now.ts';
import { reservesHosts, reuseLabel } from './node-reuse.ts';

export interface HostClaimActivities {
  /**
   * Makes the machine the consumer of the host, unless it has another one. A host that is in use without one is given to
   * the machine that names it alone. Idempotent.
   */
  takeHost(order: HostClaimOrder): Promise<HostAnswer>;
  /**
   * Removes the consumer of the host, or reserves the host for machines of the same kind. Idempotent; a host of another
   * consumer is not changed.
   */
  giveHostBack(order: ReleaseOrder): Promise<HostAnswer>;
}

export function createHostClaimActivities(kube: Kube): HostClaimActivities {
  return {
    async takeHost({ host, machine, clusterName, reuse }) {
      const isNamed = namesHost(await mustBe(kube, 'has', machine), { host, machine });
      const refusals: string[] = [];
      let why: string | undefined;
      const taking = (read: BareMetalHostRead) => {
        why = whyNotHad(hostFacts(read), { machine, reuse, isNamed });
        if (why !== undefined) return undefined;
        const { labels } = read.metadata;
        const isLabelled = clusterName === '' || labels[CLUSTER_LABELS.clusterName] === clusterName;
        const { consumerRef } = read.spec;
        const isOurs = isConsumer(consumerRef, machine) && isCurrentConsumer(consumerRef, machine);
        if (isOurs && isLabelled && !(HOST_LABELS.nodeReuse in labels)) return undefined;
        return {
          metadata: {
            labels: {
              ...(clusterName !== '' && { [CLUSTER_LABELS.clusterName]: clusterName }),
              ...(HOST_LABELS.nodeReuse in labels && { [HOST_LABELS.nodeReuse]: null }),
            },
          },
          spec: { consumerRef: consumerOf(machine) },
        };
      };
      const facts = await patchHostAnyway(kube, { host, machine }, taking, refusals);
      if (facts === null) return { kind: 'host', host: null };
      if (!isConsumer(facts.consumer, machine))
        return facts.consumer === undefined
          ? { kind: 'taken', by: null, ...(why !== undefined && { why: why === OCCUPIED ? why : `is ${why}` }) }
          : { kind: 'taken', by: facts.consumer };
      const secret = clusterName === '' ? undefined : await labelSecret(kube, secretOf(facts), clusterName, refusals);
      return { kind: 'host', host: facts, ...refused(refusals), ...(secret !== undefined && { secret }) };
    },

    async giveHostBack({ host, machine, clusterName, reuse }) {
      await mustBe(kube, 'leaves', machine);
      const place = reuse && { ...reuse, namespace: machine.namespace };
      const reserved = place && (await reservesHosts(kube, place)) ? await reuseLabel(kube, place) : undefined;
      const refusals: string[] = [];
      let marked: SecretMarked | undefined;
      const releasing = async (read: BareMetalHostRead) => {
        if (!isConsumer(read.spec.consumerRef, machine)) return undefined;
        // The machine's workflow saw the host deprovisioned. Something is deployed on it again, because etcd was
        // restored since.
        if (isInUse(hostFacts(read))) throw stale(`release a host: ${host.name} is still in use`);
        const { labels, annotations, namespace } = read.metadata;
        const secret = secretOf({ namespace, credentialsName: read.spec.credentialsName });
        // The label is removed first: after the release, a later attempt would not be allowed to remove it.
        marked = (await unlabelSecret(kube, secret, clusterName, refusals)) ?? marked;
        const drop = (present: boolean, key: string): object => (present ? { [key]: null } : {});
        const { finalizers } = read.metadata;
        const legacy = CONTROLLER_FINALIZERS[machine.api ?? ''];
        return {
          metadata: {
            // Former actuators of the Machine API put this finalizer on hosts.
            ...(legacy !== undefined &&
              finalizers.includes(legacy) && { finalizers: finalizers.filter((each) => each !== legacy) }),
            labels: {
              ...drop(labels[CLUSTER_LABELS.clusterName] === clusterName, CLUSTER_LABELS.clusterName),
              ...(reserved !== undefined && { [HOST_LABELS.nodeReuse]: reserved }),
            },
            annotations: {
              ...drop(annotations[ANNOTATIONS.paused] === PAUSED_BY_CLUSTER, ANNOTATIONS.paused),
              // The annotation of a host without a machine would block every move for ever.
              ...drop(CLUSTER_ANNOTATIONS.blockMove in annotations, CLUSTER_ANNOTATIONS.blockMove),
              // A remediation of this machine must not keep the host of the next one off.
              ...Object.fromEntries(
                Object.keys(annotations)
                  .filter(isPowerOffKey)
                  .map((key) => [key, null]),
              ),
            },
          },
          spec: { consumerRef: reserved !== undefined && reuse ? clusterConsumer(reuse.cluster) : null },
          // If a policy forbids the label, the host is not reserved.
          specAlone: { consumerRef: null },
        };
      };
      const facts = await patchHostAnyway(kube, { host, machine }, releasing, refusals);
      return { kind: 'host', host: facts, ...refused(refusals), ...(marked !== undefined && { secret: marked }) };
    },
  };
}

/** True when the object of the machine names the host as its own, in the way in which its kind does. */
function namesHost(object: unknown, { host, machine }: Pick<HostClaimOrder, 'host' | 'machine'>): boolean {
  const { metadata, link } = readMachineApi(object);
  if (machine.api === undefined) return annotatedHost(metadata.annotations[MACHINE_ANNOTATIONS.host]) === host.name;
  if (link === undefined || typeof link === 'string') return false;
  return link.namespace === host.namespace && link.name === host.name && (link.uid ?? host.uid) === host.uid;
}

const secretOf = (host: { readonly namespace: string; readonly credentialsName: string }) => ({
  namespace: host.namespace,
  name: host.credentialsName,
});

type Named = ReturnType<typeof secretOf>;

/** The messages of policies, each once. */
const refused = (refusals: readonly string[]): { readonly refused?: string } =>
  refusals.length === 0 ? {} : { refused: [...new Set(refusals)].join('; ') };

/**
 * Labels the BMC Secret, so that it moves together with the cluster. Neither a missing Secret nor a policy that forbids
 * it prevents the claim.
 */
const labelSecret = (kube: Kube, secret: Named, clusterName: string, refusals: string[]): Changed =>
  changeLabel(kube, secret, (label) => (label === clusterName ? undefined : clusterName), refusals);

const unlabelSecret = (kube: Kube, secret: Named, clusterName: string, refusals: string[]): Changed =>
  changeLabel(kube, secret, (label) => (label === clusterName ? null : undefined), refusals);

/** undefined: nothing was changed. */
type Changed = Promise<SecretMarked | undefined>;

async function changeLabel(
  kube: Kube,
  secret: Named,
  wanted: (label: string | undefined) => string | null | undefined,
  refusals: string[],
): Changed {
  if (!isObjectName(secret.name)) return undefined;
  let marked: SecretMarked | undefined;
  const change = async (): Promise<void> => {
    const found = await kube.find(secretPath(secret));
    if (found === undefined) return;
    const { labels, resourceVersion } = readMetadata(found);
    const label = wanted(labels[CLUSTER_LABELS.clusterName]);
    if (label === undefined) return;
    const changed = await kube.patch(secretPath(secret), {
      metadata: { resourceVersion, labels: { [CLUSTER_LABELS.clusterName]: label } },
    });
    marked = { name: secret.name, before: resourceVersion, after: readMetadata(changed).resourceVersion };
  };
  const refusal = await unlessForbidden(() => whileContended(change));
  if (refusal !== undefined) refusals.push(refusal);
  return marked;
}
