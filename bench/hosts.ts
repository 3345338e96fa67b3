import { isNotFound, type Kube } from '../kube/client.ts';
import { hostPath, kindPath, secretPath } from '../kube/paths.ts';
import { bmcAddress } from '../lab/ironic/ironic-lab.ts';
import type { Lab } from '../lab/lab.ts';
import { bootMac, type LabMachine } from '../lab/machines/machine.ts';

export const NAMESPACE = 'default';

/** Users of the API are not the bridge: their changes go under a name of their own. */
const query = { fieldManager: 'bench' };

const named = (machine: LabMachine): { readonly namespace: string; readonly name: string } => ({
  namespace: NAMESPACE,
  name: machine.name,
});
const secretOf = (machine: LabMachine): { readonly namespace: string; readonly name: string } => ({
  namespace: NAMESPACE,
  name: `${machine.name}-bmc`,
});

/** Each machine's Secret and BareMetalHost, all at once. Without an image: the host is to become available. */
export async function applyHosts(
  kube: Kube,
  lab: Lab,
  machines: readonly LabMachine[],
  spec: { readonly online: boolean },
): Promise<void> {
  await Promise.all(
    machines.map(async (machine) => {
      await kube.request({
        method: 'POST',
        path: `/api/v1/namespaces/${NAMESPACE}/secrets`,
        query,
        body: { apiVersion: 'v1', kind: 'Secret', metadata: secretOf(machine), stringData: lab.endpoints.bmc },
      });
      await kube.request({
        method: 'POST',
        path: kindPath('baremetalhosts', NAMESPACE),
        query,
        body: {
          apiVersion: 'metal3.io/v1alpha1',
          kind: 'BareMetalHost',
          metadata: named(machine),
          spec: {
            ...spec,
            bootMACAddress: bootMac(machine),
            bmc: { address: bmcAddress(machine, lab.endpoints), credentialsName: secretOf(machine).name },
          },
        },
      });
    }),
  );
}

/** Changes the spec of all hosts at once. */
export async function editHosts(kube: Kube, machines: readonly LabMachine[], spec: object): Promise<void> {
  await Promise.all(
    machines.map((machine) =>
      kube.request({
        method: 'PATCH',
        path: hostPath(named(machine)),
        query,
        contentType: 'application/merge-patch+json',
        body: { spec },
      }),
    ),
  );
}

export async function deleteHosts(kube: Kube, machines: readonly LabMachine[]): Promise<void> {
  await Promise.all(machines.map((machine) => kube.request({ method: 'DELETE', path: hostPath(named(machine)) })));
}

/** The garbage collector takes a host's Secret along, but in its own time: a next round needs the name at once. */
export async function deleteSecrets(kube: Kube, machines: readonly LabMachine[]): Promise<void> {
  await Promise.all(
    machines.map(async (machine) => {
      try {
        await kube.request({ method: 'DELETE', path: secretPath(secretOf(machine)) });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }),
  );
}
