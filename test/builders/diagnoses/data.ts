import { type Examples, hostError, hostSight, machineSays, NOW } from './sights.ts';

const UNREADABLE = 'failed to read preprovisioningNetworkData:';

const NOT_OPENSTACK = 'not OpenStack network data (links, networks, services)';

const pending = (message: string) =>
  hostSight({
    state: 'provisioning',
    poweredOn: false,
    texts: [{ field: 'last answer to a request that is repeated', words: message }],
  });

export const DATA_EXAMPLES = {
  'data-secret-missing': [
    pending('failed to fetch secret user-data in namespace metal: secrets "user-data" not found'),
  ],
  'data-secret-absent': [
    {
      ...hostSight({ state: 'provisioning', poweredOn: false }),
      missingSecrets: [
        { name: 'node-1-bmc', field: 'spec.bmc.credentialsName' },
        { name: 'user-data', field: 'spec.userData' },
      ],
    },
  ],
  'data-secret-key': [pending('Secret user-data does not contain key userData')],
  'data-secret-elsewhere': [pending('userData secret must be in same namespace as host metal/node-1')],
  'data-nmstate': [
    hostError('registration error', `${UNREADABLE} Secret net, key networkData: it holds nmstate, ${NOT_OPENSTACK}`),
    hostError(
      'provisioning error',
      `Validation failed: Secret net, key networkData: it holds nmstate, ${NOT_OPENSTACK}`,
    ),
  ],
  'data-secret-unread': [
    hostError(
      'registration error',
      `${UNREADABLE} Secret net: it has no network data: that is read from the key networkData, or else from value, and nobody reads nmstate`,
    ),
  ],
  'data-document': [
    hostError(
      'provisioning error',
      'Validation failed: Secret meta, key metaData, line 2, column 1: a tab cannot indent',
    ),
    hostError('registration error', `${UNREADABLE} Secret net, key networkData: it is not an object`),
  ],
  'data-config-drive': [hostError('provisioning error', 'Failed to build configdrive: it is too large')],
  'pool-exhausted': [
    machineSays(
      'waiting for Metal3Data to become ready: Exhausted IP Pools',
      'WaitingForMetal3Data',
      'Metal3DataReady',
    ),
  ],
  'pool-kind-unknown': [
    machineSays(
      'waiting for Metal3Data to become ready: pool nodes: ipam.metal3.io has no kind InClusterIPPool, ipam.cluster.x-k8s.io has it',
      'WaitingForMetal3Data',
      'Metal3DataReady',
    ),
  ],
  'pool-ambiguous': [
    machineSays(
      'waiting for Metal3Data to become ready: multiple references with the same name but different resource types',
      'WaitingForMetal3Data',
      'Metal3DataReady',
    ),
  ],
  'claim-elsewhere': [
    machineSays(
      'waiting for Metal3Data to become ready: waiting for IPClaim nodes-0-storage, which belongs to another owner, to go',
      'WaitingForMetal3Data',
      'Metal3DataReady',
    ),
  ],
  'pool-waits': [
    machineSays(
      'waiting for Metal3Data to become ready: waiting for an address from IPPool storage',
      'WaitingForMetal3Data',
      'Metal3DataReady',
    ),
    machineSays(
      'waiting for Metal3Data to become ready: waiting for an address from InClusterIPPool nodes, an address from IPPool storage',
      'WaitingForMetal3Data',
      'Metal3DataReady',
    ),
    machineSays(
      'waiting for Metal3Data to become ready: waiting for an address from IPPool nodes of ipam.metal3 (Temper knows this kind in ipam.metal3.io)',
      'WaitingForMetal3Data',
      'Metal3DataReady',
    ),
  ],
  'pool-missing': [
    machineSays(
      'waiting for Metal3Data to become ready: pool not found in cache',
      'WaitingForMetal3Data',
      'Metal3DataReady',
    ),
  ],
  'template-bad': [
    machineSays(
      'waiting for Metal3Data to become ready: NIC name not found eth7',
      'WaitingForMetal3Data',
      'Metal3DataReady',
    ),
    machineSays(
      'waiting for Metal3Data to become ready: annotation rack not found or empty on baremetalhost',
      'WaitingForMetal3Data',
      'Metal3DataReady',
    ),
  ],
  'template-missing': [machineSays('failed to update BareMetalHost: waiting for Metal3DataTemplate to be available')],
  'data-not-ready': [{ ...machineSays('failed to update BareMetalHost: Metal3Data is not found'), now: NOW }],
} satisfies Examples;
