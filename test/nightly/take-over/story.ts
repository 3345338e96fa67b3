import { setInterval } from 'node:timers/promises';
import { z } from 'zod';
import type { Kube } from '../../../kube/client.ts';
import { hostCollection, hostPath } from '../../../kube/paths.ts';
import { clusterProgress } from '../../../lab/clusters/cluster-progress.ts';
import { exampleCluster } from '../../../lab/clusters/examples.ts';
import { watchCluster } from '../../../lab/clusters/watch.ts';
import { patchObject } from '../../../lab/control-plane/objects.ts';
import { createMissing } from '../../../lab/hosts/apply.ts';
import type { Lab } from '../../../lab/lab.ts';
import type { Failure } from '../../../lab/machines/failure.ts';
import { LEFT_HOSTS, machineOfHost, manifestsOf, type Shown } from './hosts.ts';

/** How the hosts and the cluster of the record get into their states. */

/** Sixteen for single hosts, four for the hosts of the example cluster. */
export const MACHINES = 20;
export const CLUSTER = 'demo';
export const NAMESPACE = 'default';
const LOOK_MS = 1_000;
const PATIENCE_MS = 1_200_000;

type Tell = (line: string) => void;

/** Returns when every host and the cluster are as baremetal-operator and the others are to leave them. */
export async function playHosts(lab: Lab, kube: Kube, tell: Tell): Promise<void> {
  const names = Object.keys(LEFT_HOSTS);
  const early = names.filter((name) => LEFT_HOSTS[name]?.underWay !== true);
  const played = (some: readonly string[]): Promise<unknown> =>
    Promise.all(some.map((name) => playHost(lab, kube, name, tell)));
  await Promise.all([played(early), playCluster(lab, tell)]);
  await played(names.filter((name) => !early.includes(name)));
  // The first ones must not have changed since.
  await Promise.all(names.map((name) => hostThat(kube, name, LEFT_HOSTS[name]?.left)));
}

async function playHost(lab: Lab, kube: Kube, name: string, tell: Tell): Promise<void> {
  const host = LEFT_HOSTS[name];
  if (host === undefined) throw new Error(`no host ${name}`);
  if (host.failures !== undefined) await letFail(lab, name, host.failures);
  await createMissing(lab.endpoints.kubeconfig, manifestsOf(name, lab));
  if (host.change !== undefined) {
    const { after, spec, annotations, failures } = host.change;
    await hostThat(kube, name, after);
    if (failures !== undefined) await letFail(lab, name, failures);
    await patchObject(kube, hostPath({ namespace: NAMESPACE, name }), { spec, metadata: { annotations } });
  }
  await hostThat(kube, name, host.left);
  tell(`${name}: ${JSON.stringify(host.left)}`);
}

async function letFail({ endpoints, machines }: Lab, name: string, failures: readonly Failure[]): Promise<void> {
  const machine = machines[machineOfHost(name)]?.name;
  const answer = await fetch(`${endpoints.agentControl}/machines/${machine}/failures`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(failures),
  });
  if (!answer.ok) throw new Error(`failures of ${machine}: ${answer.status} ${await answer.text()}`);
}

const hosts = z.object({
  items: z.array(
    z.looseObject({
      metadata: z.looseObject({ name: z.string() }),
      status: z
        .looseObject({
          operationalStatus: z.string().default(''),
          poweredOn: z.boolean().default(false),
          errorType: z.string().default(''),
          provisioning: z.looseObject({ state: z.string() }).default({ state: '' }),
        })
        .optional(),
    }),
  ),
});

async function hostThat(kube: Kube, name: string, wanted: Shown | undefined): Promise<void> {
  const { state, operationalStatus, on, errorType } = wanted ?? { state: 'in LEFT_HOSTS' };
  let last: unknown;
  await soonOrLater(
    `${name} ${JSON.stringify(wanted)}`,
    () => JSON.stringify(last),
    async () => {
      const { items } = hosts.parse(await kube.request({ path: hostCollection(NAMESPACE) }));
      const status = items.find(({ metadata }) => metadata.name === name)?.status;
      last = status;
      return (
        status?.provisioning.state === state &&
        [status.operationalStatus, undefined].includes(operationalStatus) &&
        [status.poweredOn, undefined].includes(on) &&
        [status.errorType, undefined].includes(errorType)
      );
    },
  );
}

/** The example cluster, without the health check, which would reboot a worker while the lab of the record starts. */
async function playCluster(lab: Lab, tell: Tell): Promise<void> {
  const { kubeconfig } = lab.endpoints;
  const manifests = exampleCluster(lab).filter(
    ({ kind }) => !['MachineHealthCheck', 'Metal3RemediationTemplate'].includes(kind),
  );
  await createMissing(kubeconfig, manifests);
  const watching = new AbortController();
  const objects = watchCluster(kubeconfig, CLUSTER, () => undefined, watching.signal);
  const progress = () => clusterProgress(objects());
  try {
    await soonOrLater(
      `cluster ${CLUSTER}`,
      () => JSON.stringify(progress()),
      async () => progress().isThere,
    );
  } finally {
    watching.abort();
  }
  tell(`cluster ${CLUSTER}: ${JSON.stringify(progress())}`);
}

async function soonOrLater(what: string, last: () => string | undefined, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for await (const _ of setInterval(LOOK_MS)) {
    if (await isSo()) return;
    if (Date.now() > deadline) throw new Error(`never came about: ${what}; last: ${last()}`);
  }
}
