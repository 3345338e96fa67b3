import { ANNOTATIONS, FINALIZERS } from '../../api/baremetalhost/values.ts';
import type { HostSettings } from '../../domain/host/memory/settings.ts';
import type { HostSnapshot } from '../../domain/host/memory/snapshot.ts';
import { dataSecretsOf } from '../../domain/ironic/deployment/data-secrets.ts';
import { traitsOf } from '../../domain/states/table.ts';
import { byName } from '../../kube/by-name.ts';
import { isSameKind, KINDS, MACHINE_API_MACHINES } from '../../kube/kinds.ts';
import { observedGeneration, readObject } from '../../kube/objects/any-object.ts';
import { readHost } from '../../kube/objects/baremetalhost.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Entry, Stores } from '../../kube/store.ts';
import type { Binding, Tally } from '../binding.ts';
import type { Written } from '../ledger.ts';
import { completeHost, hostWritten } from './baremetalhost/complete.ts';
import { hostsInheriting } from './baremetalhost/inherit.ts';
import { hostEssence, observeHost } from './baremetalhost/observe.ts';
import { isOutdated } from './baremetalhost/outdated.ts';
import { isPausedOrMoved } from './baremetalhost/resource.ts';

interface HostBindingOptions {
  readonly settings: HostSettings;
  readonly tally: Tally;
  /** Machines of the Machine API are followed. */
  readonly hasMachineApi?: boolean;
  readonly note?: Binding['note'];
  readonly completeFirst?: Binding['completeFirst'];
}

/** BareMetalHosts, with their HardwareData, Secrets, PreprovisioningImage and DataImage. */
export const hostBinding = ({ settings, tally, hasMachineApi, note, completeFirst }: HostBindingOptions): Binding => ({
  followed: KINDS.host,
  finalizer: FINALIZERS.host,
  related: [
    KINDS.hardwareData,
    KINDS.secret,
    KINDS.dataImage,
    KINDS.namespace,
    // Without BUILD_PREPROV_IMAGE the CRD may be missing.
    ...(settings.buildsPreprovisioningImages ? [KINDS.preprovisioningImage] : []),
  ],
  relatedLater: hasMachineApi ? [...GIVING_APPROVALS, ...MACHINE_API_MACHINES] : GIVING_APPROVALS,
  // baremetal-operator has no flag `--watch-filter`.
  ignoresWatchFilter: true,
  unreadableReason: 'InvalidHost',
  // As upstream, which has a separate recorder for these Events.
  reporterOf: ({ reason }) =>
    reason.startsWith('ImageAuth')
      ? { component: 'baremetalhost-controller', controller: 'baremetalhost-controller' }
      : { component: 'metal3-baremetal-controller', controller: 'metal3.io/baremetal-controller' },
  *concerned(kind, related, stores) {
    if (INHERITED_FROM.some((each) => isSameKind(each, kind))) yield* hostsInheriting(kind, related, stores);
    else if (kind.kind !== KINDS.secret.kind) yield keyOf(related);
    else for (const host of stores.having(hostsBySecret, keyOf(related))) yield keyOf(host);
  },
  observe: (entry, stores, known) => observeHost(entry, stores, settings, known),
  essence: (snapshot) => hostEssence(snapshot as HostSnapshot),
  complete: completeHost,
  isStale: showsLess,
  isOutdated,
  isLeftAlone: ({ object }) => isPausedOrMoved(readObject(object)),
  tally,
  ...(note !== undefined && { note }),
  ...(completeFirst !== undefined && { completeFirst }),
});

/** Kinds whose annotations, like those of Namespaces, say what needs approval on a host. */
const GIVING_APPROVALS = [KINDS.metal3Machine, KINDS.cluster] as const;
const INHERITED_FROM = [KINDS.namespace, ...GIVING_APPROVALS, ...MACHINE_API_MACHINES];

/** Hosts by the Secrets that they name. */
const hostsBySecret = byName(KINDS.host, ({ object }) => {
  const { spec, agentNetworkData, imageUrl: url, registrySecret: ociAuthSecretName } = readHost(object);
  const image = { url, ociAuthSecretName };
  const data = dataSecretsOf({ ...spec, image, preprovisioningNetworkDataName: agentNetworkData });
  return [spec.credentialsName, agentNetworkData, ...data].filter((name) => name !== '');
});

/**
 * True when the status lacks hardware that was inspected or given in an annotation, or has conditions of an earlier
 * generation.
 */
function showsLess(entry: Entry, written: Written, stores: Stores): boolean {
  const host = readObject(entry.object);
  const { annotations, generation } = host.metadata;
  const booked = hostWritten(written);
  // Inspected hardware is shown together with the state after the inspection.
  const isInspecting = traitsOf(booked?.state ?? '').work === 'inspect';
  const hardware = isInspecting ? undefined : stores.get(KINDS.hardwareData, keyOf(entry));
  return (
    (hardware !== undefined && hardware.resourceVersion !== booked?.hardwareVersion) ||
    observedGeneration(host) < generation ||
    annotations[ANNOTATIONS.hardwareDetails] !== undefined ||
    annotations[ANNOTATIONS.status] !== undefined
  );
}
