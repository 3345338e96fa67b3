import { ANNOTATIONS, FINALIZERS } from '../../api/baremetalhost/values.ts';
import type { DiscoveredMachine } from './machine.ts';
import { DISCOVERED_LABEL, DISCOVERY_ANNOTATIONS } from './names.ts';
import type { DiscoverySettings } from './settings.ts';

/**
 * The BareMetalHost of a machine, without BMC details. Its first status names the node that Ironic has enrolled: the
 * host takes that node when it is registered, and deletes it when it is deleted. The finalizer is there from the
 * beginning, so that no deletion is missed.
 */
export function hostObject(machine: DiscoveredMachine, name: string, settings: DiscoverySettings): object {
  const [bmcAddress] = machine.bmcAddresses;
  return {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'BareMetalHost',
    metadata: {
      namespace: settings.namespace,
      name,
      labels: { ...settings.labels, [DISCOVERED_LABEL]: 'true' },
      annotations: {
        [ANNOTATIONS.status]: JSON.stringify(firstStatus(machine.nodeId)),
        [DISCOVERY_ANNOTATIONS.node]: machine.nodeId,
        ...(bmcAddress !== undefined && { [DISCOVERY_ANNOTATIONS.bmcAddress]: bmcAddress }),
      },
      finalizers: [FINALIZERS.host],
    },
    spec: {
      online: false,
      bootMACAddress: machine.bootMac,
      ...(machine.bootsLegacy && { bootMode: 'legacy' }),
    },
  };
}

const firstStatus = (nodeId: string): object => ({
  operationalStatus: '',
  errorMessage: '',
  errorCount: 0,
  poweredOn: false,
  hardwareProfile: '',
  provisioning: { state: '', ID: nodeId, image: { url: '' } },
  operationHistory: {},
  goodCredentials: {},
  triedCredentials: {},
});
