import PQueue from 'p-queue';
import { isNotFound, type Kube } from '../kube/client.ts';
import { hostCollection, hostPath, secretPath } from '../kube/paths.ts';
import type { ListedMachine } from '../lab/detached/lab-machines.ts';
import type { IronicLogin } from '../lab/http/password-file.ts';
import type { IronicEndpoints } from '../lab/ironic/ironic-lab.ts';

export const NAMESPACE = 'default';

/** Clients of the API are not the bridge, so their changes have a field manager of their own. */
const query = { fieldManager: 'bench' };

/** Concurrent requests: enough to keep the API server busy, few enough not to open a thousand connections. */
const AT_ONCE = 50;

interface Named {
  readonly name: string;
}

/** A new BareMetalHost and its BMC credentials. */
export interface NewHost extends Named {
  readonly login: IronicLogin;
  /** The spec without the name of the Secret. */
  readonly spec: { readonly bmc: { readonly address: string }; readonly [field: string]: unknown };
}

const named = ({ name }: Named): { readonly namespace: string; readonly name: string } => ({
  namespace: NAMESPACE,
  name,
});
const secretOf = ({ name }: Named): { readonly namespace: string; readonly name: string } => ({
  namespace: NAMESPACE,
  name: `${name}-bmc`,
});

/** A host for a lab machine. Without an image it should become available. */
export const labMachineHost = (
  { name, bmcAddress, bootMACAddress }: ListedMachine,
  endpoints: Pick<IronicEndpoints, 'bmc'>,
  spec: { readonly online: boolean },
): NewHost => ({
  name,
  login: endpoints.bmc,
  spec: { ...spec, bootMACAddress, bmc: { address: bmcAddress } },
});

/** Creates the Secret and the BareMetalHost of each, all at once. */
export async function applyHosts(kube: Kube, hosts: readonly NewHost[]): Promise<void> {
  await forEach(hosts, async (host) => {
    const { login, spec } = host;
    await kube.request({
      method: 'POST',
      path: `/api/v1/namespaces/${NAMESPACE}/secrets`,
      query,
      body: { apiVersion: 'v1', kind: 'Secret', metadata: secretOf(host), stringData: login },
    });
    await kube.request({
      method: 'POST',
      path: hostCollection(NAMESPACE),
      query,
      body: {
        apiVersion: 'metal3.io/v1alpha1',
        kind: 'BareMetalHost',
        metadata: named(host),
        spec: { ...spec, bmc: { ...spec.bmc, credentialsName: secretOf(host).name } },
      },
    });
  });
}

/** Changes the spec of all hosts at once. */
export const editHosts = (kube: Kube, hosts: readonly Named[], spec: object): Promise<void> =>
  forEach(hosts, (host) =>
    kube.request({
      method: 'PATCH',
      path: hostPath(named(host)),
      query,
      contentType: 'application/merge-patch+json',
      body: { spec },
    }),
  );

export const deleteHosts = (kube: Kube, hosts: readonly Named[]): Promise<void> =>
  forEach(hosts, (host) => kube.request({ method: 'DELETE', path: hostPath(named(host)) }));

/** The garbage collector also deletes a host's Secret, but later: the next round needs its name at once. */
export const deleteSecrets = (kube: Kube, hosts: readonly Named[]): Promise<void> =>
  forEach(hosts, async (host) => {
    try {
      await kube.request({ method: 'DELETE', path: secretPath(secretOf(host)) });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  });

async function forEach<T>(hosts: readonly T[], work: (host: T) => Promise<unknown>): Promise<void> {
  await new PQueue({ concurrency: AT_ONCE }).addAll(hosts.map((host) => () => work(host)));
}
