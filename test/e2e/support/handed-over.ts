import { type AnyLab, hostThat } from './hosts.ts';
import { aMachine, on, remove } from './machines.ts';

/** A host that goes from one machine of a cluster to another. It has its own name as label `for`. */

/** As Cluster API deletes a Machine. */
export async function removeMachine(lab: AnyLab, name: string): Promise<void> {
  await remove(lab, 'metal3Machine', name);
  await remove(lab, 'machine', name);
}

/** The host that was released goes to another machine, which has its image deployed. */
export async function giveTo(
  lab: AnyLab,
  { cluster, host, machine, image }: { cluster: string; host: string; machine: string; image: object },
): Promise<void> {
  await hostThat(lab, host, 'released', ({ spec }) => spec['consumerRef'] === undefined);
  await aMachine(lab, cluster, machine, { spec: { ...on(host), image } });
  await hostThat(
    lab,
    host,
    'claimed again',
    ({ spec, status }) =>
      (spec['consumerRef'] as { readonly name?: string } | undefined)?.name === machine &&
      status.provisioning.state === 'provisioned',
  );
}
