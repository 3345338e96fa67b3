import { FINALIZERS } from '../../api/baremetalhost/values.ts';
import { IMAGE_FINALIZERS } from '../../api/preprovisioningimage/values.ts';
import type { HostRef, ImageOrder } from '../../domain/ironic/orders.ts';
import type { DefaultDeployment } from '../../domain/machine-api/provider-spec.ts';
import type { Kube } from '../../kube/client.ts';
import { readMetadata } from '../../kube/objects/metadata.ts';
import { hardwareDataPath, hostPath, imagePath, isObjectName } from '../../kube/paths.ts';
import { requestImage } from './host/images.ts';
import { createDataClaimActivities, type DataClaimActivities } from './machine/data-claims.ts';
import { createHostClaimActivities, type HostClaimActivities } from './machine/host-claims.ts';
import { createMachineHostActivities, type MachineHostActivities } from './machine/machine-host.ts';
import { stale } from './machine/machine-now.ts';
import { isForbiddenByPolicy, refusing } from './refusal.ts';
import { dropFinalizer, releaseSecret } from './secrets.ts';

export interface KubernetesDeps {
  readonly kube: Kube;
  /** Architecture of a host without one in its spec and without inspection. */
  readonly defaultArchitecture: string;
  /** Deployed for Machines of the Machine API that name no image. */
  readonly machineDefaults?: DefaultDeployment;
  /** Absent: no call is cancelled. */
  readonly currentCall?: () => { readonly signal: AbortSignal };
}

interface ReleaseOrder {
  readonly host: HostRef;
  readonly credentialsName?: string;
  readonly preprovisioningNetworkDataName?: string;
}

export interface KubernetesActivities extends MachineHostActivities, HostClaimActivities, DataClaimActivities {
  /** Creates the PreprovisioningImage of a host, or updates its requirements. Idempotent. */
  requestImage(order: ImageOrder): Promise<void>;
  /**
   * Removes our finalizers from the Secrets that the host alone owns, the HardwareData and the PreprovisioningImage of a
   * host that is being deleted, or gone; fails with type `Stale` for any other host. Idempotent; missing objects are ignored.
   */
  releaseHost(order: ReleaseOrder): Promise<void>;
}

export const createKubernetesActivities = ({
  kube,
  defaultArchitecture,
  machineDefaults,
  currentCall,
}: KubernetesDeps): KubernetesActivities => ({
  ...createMachineHostActivities(kube, machineDefaults),
  ...createHostClaimActivities(kube),
  ...createDataClaimActivities(kube),

  requestImage: (order) => requestImage(kube, order, defaultArchitecture, currentCall?.().signal),

  async releaseHost({ host, credentialsName, preprovisioningNetworkDataName }) {
    const signal = currentCall?.().signal;
    await mustLeave(kube, host);
    const secrets = [credentialsName ?? '', preprovisioningNetworkDataName ?? ''].filter(isObjectName);
    const held = [
      [hardwareDataPath(host), FINALIZERS.hardwareData],
      [imagePath(host), IMAGE_FINALIZERS.host],
    ] as const;
    // A policy that forbids one removal does not prevent the others.
    const ended = await Promise.allSettled([
      ...held.map(([path, finalizer]) => dropFinalizer(kube, path, finalizer)),
      ...[...new Set(secrets)].map((name) => releaseSecret(kube, host, name, signal)),
    ]);
    const failed = ended.filter((each) => each.status === 'rejected').map(({ reason }): unknown => reason);
    const worst = failed.find((error) => !isForbiddenByPolicy(error)) ?? failed[0];
    if (worst !== undefined) await refusing(() => Promise.reject(worst as Error), isForbiddenByPolicy);
  },
});

async function mustLeave(kube: Kube, host: HostRef): Promise<void> {
  const found = await kube.find(hostPath(host));
  if (found === undefined) return;
  const { uid, deletionTimestamp } = readMetadata(found);
  if (uid !== host.uid || deletionTimestamp === undefined)
    throw stale(`release what a host holds: BareMetalHost ${host.name}: it is not being deleted`);
}
