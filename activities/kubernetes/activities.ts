import { FINALIZERS } from '../../api/baremetalhost/values.ts';
import type { HostRef } from '../../domain/host/orders.ts';
import type { Kube } from '../../platform/kube.ts';
import { hardwareDataPath, secretPath } from '../../platform/kube-paths.ts';
import { dropFinalizer } from './secrets.ts';

export interface KubernetesDeps {
  readonly kube: Kube;
}

interface ReleaseOrder {
  readonly host: HostRef;
  readonly credentialsName?: string;
  readonly preprovisioningNetworkDataName?: string;
}

export interface KubernetesActivities {
  /** Lets go of the Secrets and the HardwareData of a host that is being deleted. Idempotent; what is gone is no trouble. */
  releaseHost(order: ReleaseOrder): Promise<void>;
}

export const createKubernetesActivities = ({ kube }: KubernetesDeps): KubernetesActivities => ({
  async releaseHost({ host, credentialsName, preprovisioningNetworkDataName }) {
    const { namespace } = host;
    const secrets = [credentialsName, preprovisioningNetworkDataName].filter(
      (name) => name !== undefined && name !== '',
    );
    await dropFinalizer(kube, hardwareDataPath(host), FINALIZERS.hardwareData);
    for (const name of new Set(secrets)) {
      await dropFinalizer(kube, secretPath({ namespace, name: String(name) }), FINALIZERS.secret);
    }
  },
});
