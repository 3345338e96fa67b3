import { ANYTHING, type Change, type KnownDifference } from '../differences.ts';

const M3M = 'Metal3Machine m-1';
const NO_NIC = 'NIC name not found nic-9';
const NO_ADDRESS = 'waiting for an address from InClusterIPPool foreign';
const NO_NAME =
  "IPClaim.ipam.metal3.io \"rack-0-Office_1\" is invalid: metadata.name: Invalid value: \"rack-0-Office_1\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const FAILED_LINK = 'failed to set ProviderID on Metal3Machine based on Node label';
const MALFORMED = 'the kubeconfig of cluster blue is refused: it is malformed';

/** A field of the machine's status. */
const shows = (rest: string, path: readonly string[], upstream: unknown, temper: unknown): Change => ({
  at: ['rests', rest, M3M, 'status', ...path],
  upstream,
  temper,
});

/** The Metal3Cluster of a Cluster that was paused. */
const showsPause = (rest: string): Change => ({
  at: ['rests', rest, 'Metal3Cluster blue', 'status', 'conditions', 'Paused'],
  upstream: 'False NotPaused',
  temper: 'True Paused: Cluster spec.paused is set to true',
});

/** The machine says why its data are not ready. */
const saysWhy = (rest: string, why: string): readonly Change[] => {
  const waits = 'failed to update BareMetalHost: waiting for Metal3Data to become ready';
  return [
    shows(
      rest,
      ['conditions', 'Ready'],
      `False NotReady: * AssociateMetal3MachineMetaData: ${waits}\n* Metal3DataReady: WaitingForMetal3Data`,
      `False NotReady: * AssociateMetal3MachineMetaData: ${waits}: ${why}\n* Metal3DataReady: ${why}`,
    ),
    shows(
      rest,
      ['conditions', 'AssociateMetal3MachineMetaData'],
      `False CreateError: ${waits}`,
      `False CreateError: ${waits}: ${why}`,
    ),
    shows(rest, ['conditions', 'Metal3DataReady'], 'False WaitingForMetal3Data', `False WaitingForMetal3Data: ${why}`),
    ...['Ready', 'Metal3DataReady'].map((type) =>
      shows(
        rest,
        ['deprecated', 'v1beta1', 'conditions', type],
        'False Info WaitingForMetal3Data',
        `False Info WaitingForMetal3Data: ${why}`,
      ),
    ),
  ];
};

/** The finalizer of a Metal3Remediation whose Node is there. */
const keepsFinalizer = (rest: string): Change => ({
  at: ['rests', rest, 'Metal3Remediation m-1', 'metadata', 'finalizers'],
  upstream: undefined,
  temper: ['metal3remediation.infrastructure.cluster.x-k8s.io'],
});

/** The Machine was handed over to its owner. */
const saysHandedOver = (rest: string): readonly Change[] => {
  const why = 'not healthy 118 s after host host-1 was rebooted, in 2 attempts';
  const status = ['rests', rest, 'Machine m-1', 'status'];
  return [
    {
      at: [...status, 'conditions', 'OwnerRemediated'],
      upstream: undefined,
      temper: `False WaitingForRemediation: ${why}`,
    },
    {
      at: [...status, 'deprecated', 'v1beta1', 'conditions', 'OwnerRemediated'],
      upstream: 'False Warning WaitingForRemediation',
      temper: `False Warning WaitingForRemediation: ${why}`,
    },
  ];
};

export const DIFFERENCES_OF_CAPM3: readonly KnownDifference[] = [
  {
    row: 'm3-C30',
    stories: ['a claim without a machine gets no data'],
    changes: [
      {
        at: ['rests', '3', 'Metal3DataClaim alone', 'metadata', 'finalizers'],
        upstream: ['metal3dataclaim.infrastructure.cluster.x-k8s.io'],
        temper: undefined,
      },
      {
        at: ['rests', '3', 'Metal3DataClaim alone', 'status'],
        upstream: undefined,
        temper: { errorMessage: 'metal3Machine not found in owner references' },
      },
    ],
  },
  {
    row: 'm3-C43',
    stories: ['claims get the lowest free indexes and give them back'],
    changes: [
      {
        at: ['rests', '9', 'Metal3DataTemplate rack', 'status', 'indexes'],
        upstream: [
          { index: 0, name: 'm-1' },
          { index: 1, name: 'm-2' },
        ],
        temper: [{ index: 1, name: 'm-2' }],
      },
    ],
  },
  {
    row: 'm3-C43',
    stories: [
      'a machine gets the data that its template describes',
      'data of a machine have addresses of a pool',
      'a machine gets the address that the pool keeps for its host',
      'the next machine on a host gets the same address',
    ],
    changes: ['7', '8'].map((rest) => ({
      at: ['rests', rest, 'Metal3DataTemplate rack', 'status', 'indexes'],
      upstream: [{ index: 0, name: 'm-1' }],
      temper: undefined,
    })),
  },
  {
    row: 'm3-C85',
    stories: ['a Machine and its machine are deleted together'],
    changes: [
      { at: ['rests', '7', M3M], upstream: ANYTHING, temper: undefined },
      { at: ['rests', '7', 'Secret host-1-bmc', 'metadata', 'labels'], upstream: ANYTHING, temper: undefined },
      {
        at: ['rests', '7', 'BareMetalHost host-1'],
        upstream: ANYTHING,
        temper: {
          metadata: {},
          spec: {
            automatedCleaningMode: 'metadata',
            bmc: { address: 'redfish+http://192.0.2.10/redfish/v1/Systems/host-1', credentialsName: 'host-1-bmc' },
            bootMACAddress: '00:5c:52:31:3a:9c',
            online: false,
          },
          status: { state: 'available', poweredOn: false },
        },
      },
    ],
  },
  {
    row: 'm3-C89',
    stories: ['data name a NIC that the host does not have'],
    changes: saysWhy('5', NO_NIC),
  },
  {
    row: 'm3-C89',
    stories: ["data wait for the address of another provider's pool"],
    changes: saysWhy('5', NO_ADDRESS),
  },
  {
    row: 'm3-C89',
    stories: ['data name a pool that the API server refuses'],
    changes: saysWhy('5', NO_NAME),
  },
  {
    row: 'm3-C148',
    stories: ['a Node is not found because the kubeconfig of its Cluster can not be read'],
    changes: [
      shows(
        '6',
        ['conditions', 'AssociateMetal3MachineMetaData'],
        ANYTHING,
        `False CreateError: ${FAILED_LINK}: ${MALFORMED}`,
      ),
      shows(
        '6',
        ['conditions', 'Ready'],
        ANYTHING,
        `False NotReady: * AssociateMetal3MachineMetaData: ${FAILED_LINK}: ${MALFORMED}\n* Metal3DataReady: Condition not yet reported`,
      ),
    ],
  },
  {
    row: 'm3-C84',
    stories: ['a Node of a cloud provider is found by its providerID', 'a machine that was moved finds its host'],
    changes: [
      shows(
        '6',
        ['conditions', 'Ready'],
        'Unknown ReadyUnknown: * Metal3DataReady: Condition not yet reported',
        'True Ready',
      ),
      shows('6', ['conditions', 'Metal3DataReady'], undefined, 'True SecretsSetExternally'),
      shows('6', ['deprecated', 'v1beta1', 'conditions', 'Metal3DataReady'], undefined, 'True'),
    ],
  },
  {
    row: 'm3-C103',
    stories: ['a machine that was moved finds its host'],
    changes: [shows('6', ['userData'], undefined, { name: 'm-1-boot', namespace: '<namespace>' })],
  },
  {
    row: 'm3-C91',
    stories: [
      'the host of a machine is paused with the Cluster and goes on with it',
      'a host that names its machine as an older release did is paused and goes on with the Cluster',
    ],
    changes: [showsPause('6')],
  },
  { row: 'm3-C91', stories: ['a host that a user has paused stays paused'], changes: [showsPause('7')] },
  {
    row: 'm3-C91',
    stories: ['a machine of a paused Cluster is deleted after the pause'],
    changes: [showsPause('6'), showsPause('8')],
  },
  {
    row: 'm3-C102',
    stories: ['a machine of a Cluster that does not exist waits for it'],
    changes: [shows('1', ['deprecated'], { v1beta1: { failureMessage: '', failureReason: '' } }, undefined)],
  },
  {
    row: 'm3-C103',
    stories: ['a machine that was moved is deleted where it is now'],
    changes: [
      shows('5', ['userData'], undefined, { name: 'm-1-boot', namespace: '<namespace>' }),
      {
        at: ['rests', '7', 'BareMetalHost host-1', 'spec', 'userData'],
        upstream: { name: 'm-1-boot', namespace: '<namespace>' },
        temper: undefined,
      },
    ],
  },
  {
    row: 'm3-C118',
    stories: ['a machine names its own Secrets'],
    changes: [
      {
        at: ['rests', '4', 'BareMetalHost host-1', 'spec', 'metaData'],
        upstream: undefined,
        temper: { name: 'meta', namespace: '<namespace>' },
      },
      {
        at: ['rests', '4', 'BareMetalHost host-1', 'spec', 'networkData'],
        upstream: undefined,
        temper: { name: 'network', namespace: '<namespace>' },
      },
      { at: ['rests', '4', M3M, 'spec', 'networkData', 'namespace'], upstream: undefined, temper: '<namespace>' },
      shows('4', ['networkData', 'namespace'], undefined, '<namespace>'),
    ],
  },
  {
    row: 'm3-C130',
    stories: ['a machine that stays sick is handed over to its owner after the last retry'],
    changes: [...saysHandedOver('12'), ...saysHandedOver('15')],
  },
  {
    row: 'm3-C130',
    stories: ['a machine whose Node stays away is handed over to its owner after the last retry'],
    changes: [...saysHandedOver('12'), ...saysHandedOver('14')],
  },
  { row: 'm3-C131', stories: ['a sick machine is rebooted'], changes: [keepsFinalizer('9')] },
  {
    row: 'm3-C131',
    stories: [
      'a Node is out of service as long as its host is off, and its machine gets healthy',
      'a Node is deleted while its host is off, and gets back what it lacks',
    ],
    changes: [keepsFinalizer('11')],
  },
  {
    row: 'm3-C131',
    stories: ['a machine that stays sick is handed over to its owner after the last retry'],
    changes: ['8', '9', '10', '11', '12'].map(keepsFinalizer),
  },
  {
    row: 'm3-C131',
    stories: ['a machine whose Node stays away is handed over to its owner after the last retry'],
    changes: [{ at: ['rests', '14', 'Metal3Remediation m-1'], upstream: ANYTHING, temper: undefined }],
  },
  {
    row: 'm3-C132',
    stories: ['a machine that never had a Node is remediated'],
    changes: [
      { at: ['rests', '8', 'Metal3Remediation m-1', 'status', 'phase'], upstream: 'Running', temper: 'Waiting' },
      {
        at: ['rests', '8', 'Metal3Remediation m-1', 'metadata', 'finalizers'],
        upstream: undefined,
        temper: ['metal3remediation.infrastructure.cluster.x-k8s.io'],
      },
    ],
  },
  {
    row: 'm3-C111',
    stories: ['a cluster that is paused by an annotation goes on without it'],
    changes: [
      {
        at: ['rests', '1', 'Metal3Cluster blue', 'status'],
        upstream: undefined,
        temper: {
          conditions: {
            Ready: 'Unknown ReadyUnknown: * BaremetalInfrastructureReady: Condition not yet reported',
            Paused: 'True Paused: Metal3Cluster has the cluster.x-k8s.io/paused annotation',
          },
        },
      },
    ],
  },
  {
    row: 'm3-C162',
    stories: ['a host outside of the failure domain is better than none'],
    changes: [
      {
        at: ['rests', '4', M3M, 'status', 'conditions', 'OtherFailureDomain'],
        upstream: undefined,
        temper:
          'True NoHostInDomain: failure domain hall-2 was wanted, host host-1 of failure domain hall-1 was taken: no host of hall-2 was free',
      },
    ],
  },
];
