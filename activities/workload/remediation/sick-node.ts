import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { BACKUP_ANNOTATIONS, powerOffKey } from '../../../domain/remediation/names.ts';
import { actsOnTaint, backupOf, missingTexts, withoutTaint, withTaint } from '../../../domain/remediation/sick-node.ts';
import type { NodeAnswer, RemediationNodeOrder } from '../../../domain/remediation/step.ts';
import type { Kube } from '../../../kube/client.ts';
import { whileContended } from '../../../kube/contended.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { readRemediation, storedTexts } from '../../../kube/objects/metal3remediation.ts';
import { readSickNode } from '../../../kube/objects/node.ts';
import { readSickMachine } from '../../../kube/objects/sick-machine.ts';
import { nodePath, objectPath } from '../../../kube/paths.ts';
import { unlessGone } from '../../../kube/remove.ts';
import type { ActivityCall } from '../../ironic/context.ts';
import { mustBeNeighbours, stale } from '../../kubernetes/machine/machine-now.ts';
import { refusing } from '../../kubernetes/refusal.ts';
import { mustBeSick } from '../../kubernetes/remediation/attempt-now.ts';
import { type WorkloadClusters, whyUnreachable } from '../clusters.ts';
import { isDrained } from './drained.ts';

export interface SickNodeActivities {
  /**
   * Called while the host is off. Marks the Node as out of service; in a cluster that does not know that mark, stores
   * labels and annotations of the Node in the Metal3Remediation and deletes the Node. Idempotent.
   */
  freeNode(order: RemediationNodeOrder): Promise<NodeAnswer>;
  /** Waits until no Pod on the Node is being deleted and no volume is attached to it. `until`: ms since the epoch. */
  readonly awaitDrain: (input: { readonly order: RemediationNodeOrder; readonly until: number }) => Promise<NodeAnswer>;
  /** If the Node exists: removes the mark, and writes the stored labels and annotations that it lacks. Idempotent. */
  returnNode(order: RemediationNodeOrder): Promise<NodeAnswer>;
}

export interface SickNodeDeps {
  readonly kube: Kube;
  readonly clusters: WorkloadClusters;
  /** Milliseconds between two looks at what is left on a Node. */
  readonly intervalMs: number;
  readonly currentCall: () => Pick<ActivityCall, 'signal' | 'askedAt' | 'waitedMs'>;
}

const versionAnswer = z.object({ major: z.string().catch(''), minor: z.string().catch('') });

/** The workload cluster does not answer. The management cluster does. */
class ClusterAway extends Error {
  override readonly name = 'ClusterAway';
}

export function createSickNodeActivities({
  kube,
  clusters,
  intervalMs,
  currentCall,
}: SickNodeDeps): SickNodeActivities {
  type InCluster = <Answer>(work: (cluster: Kube) => Promise<Answer>) => Promise<Answer>;

  const reaching = async (
    { cluster: name, remediation, machine }: RemediationNodeOrder,
    perform: (inCluster: InCluster) => Promise<NodeAnswer>,
  ): Promise<NodeAnswer> => {
    mustBeNeighbours(name, remediation);
    mustBeNeighbours(machine, remediation);
    if (machine.api !== undefined) return refusing(() => perform((work) => work(kube)));
    const found = await kube.find(objectPath(KINDS.machine, machine));
    if (found === undefined || readSickMachine(found).cluster !== name.name)
      throw stale(`Metal3Remediation ${remediation.name}: Machine ${machine.name} is gone, or of another Cluster`);
    const inCluster: InCluster = async (work) => {
      try {
        return await work(await clusters.connect(name));
      } catch (error) {
        const why = whyUnreachable(error, name);
        throw why === undefined ? error : new ClusterAway(why);
      }
    };
    try {
      return await refusing(() => perform(inCluster));
    } catch (error) {
      if (!(error instanceof ClusterAway)) throw error;
      // A request that was cancelled looks like one without an answer.
      currentCall().signal.throwIfAborted();
      return { kind: 'unreachable', message: error.message };
    }
  };

  /** Fails with type `Stale` unless the host is kept off for this remediation, and is off. */
  const mustBeOff = async (order: RemediationNodeOrder): Promise<void> => {
    const { host, machine } = await mustBeSick(kube, order, ['Running']);
    const isOff = !host.poweredOn && host.heldBy.includes(powerOffKey(order.remediation.uid));
    if (isOff && machine.node === order.node) return;
    const what = isOff ? `its Node is not ${order.node}` : `host ${host.name} is not kept off`;
    throw stale(`Metal3Remediation ${order.remediation.name}: ${what}`);
  };

  const annotate = (
    order: RemediationNodeOrder,
    annotations: Readonly<Record<string, string | null>>,
  ): Promise<unknown> =>
    kube.patch(objectPath(KINDS.remediation, order.remediation), {
      metadata: { uid: order.remediation.uid, annotations },
    });

  return {
    freeNode: (order) =>
      reaching(order, async (inCluster) => {
        await mustBeOff(order);
        const path = nodePath(order.node);
        const found = await inCluster((cluster) => cluster.find(path));
        if (found === undefined) return { kind: 'node', node: 'absent' };
        const version = versionAnswer.parse(await inCluster((cluster) => cluster.request({ path: '/version' })));
        // A Node of the Machine API is deleted in any case, as OpenShift's own controller does.
        if (order.machine.api === undefined && actsOnTaint(version)) {
          await inCluster((cluster) => addTaint(cluster, path));
          return { kind: 'node', node: 'draining' };
        }
        const { metadata } = readSickNode(found);
        const read = readRemediation(await kube.request({ path: objectPath(KINDS.remediation, order.remediation) }));
        const { labels, annotations } = backupOf(metadata, storedTexts(read));
        await annotate(order, {
          [BACKUP_ANNOTATIONS.labels]: JSON.stringify(labels),
          [BACKUP_ANNOTATIONS.annotations]: JSON.stringify(annotations),
        });
        await inCluster((cluster) => removeNode(cluster, path, metadata.uid));
        return { kind: 'node', node: 'freed' };
      }),

    awaitDrain: ({ order, until }) =>
      reaching(order, async (inCluster) => {
        const { signal, askedAt, waitedMs } = currentCall();
        // All times are Temporal's: our clock may be wrong.
        const end = performance.now() + until - askedAt - waitedMs;
        while (performance.now() < end) {
          await sleep(intervalMs, undefined, { signal });
          if (await inCluster((cluster) => isDrained(cluster, order.node, signal)))
            return { kind: 'node', node: 'freed' };
        }
        return { kind: 'node', node: 'left' };
      }),

    returnNode: (order) =>
      reaching(order, async (inCluster) => {
        const path = nodePath(order.node);
        const found = await kube.find(objectPath(KINDS.remediation, order.remediation));
        const read = found === undefined ? undefined : readRemediation(found);
        const stored = read?.metadata.uid === order.remediation.uid ? storedTexts(read) : {};
        const isThere = await inCluster((cluster) =>
          whileContended(async () => {
            const node = await cluster.find(path);
            if (node === undefined) return false;
            const { metadata, spec } = readSickNode(node);
            const [texts, taints] = [missingTexts(metadata, stored), withoutTaint(spec.taints)];
            if (texts === undefined && taints === undefined) return true;
            await cluster.patch(path, {
              metadata: { resourceVersion: metadata.resourceVersion, ...texts },
              ...(taints && { spec: { taints } }),
            });
            return true;
          }),
        );
        if (!isThere) return { kind: 'node', node: 'absent' };
        if (Object.keys(stored).length > 0) {
          await annotate(order, { [BACKUP_ANNOTATIONS.labels]: null, [BACKUP_ANNOTATIONS.annotations]: null });
        }
        return { kind: 'node', node: 'returned' };
      }),
  };
}

const addTaint = (cluster: Kube, path: string): Promise<void> =>
  whileContended(async () => {
    const node = await cluster.find(path);
    if (node === undefined) return;
    const { metadata, spec } = readSickNode(node);
    const taints = withTaint(spec.taints, Date.now());
    if (taints === undefined) return;
    await cluster.patch(path, { metadata: { resourceVersion: metadata.resourceVersion }, spec: { taints } });
  });

/** A Node with another uid has returned meanwhile, and stays. */
async function removeNode(cluster: Kube, path: string, uid: string): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid } };
  await cluster.request({ method: 'DELETE', path, body }).catch(unlessGone);
}
