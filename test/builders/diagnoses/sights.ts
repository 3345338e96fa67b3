import type { ErrorType } from '../../../api/baremetalhost/values.ts';
import type {
  SeenCluster,
  SeenCondition,
  SeenHost,
  SeenMachine,
  SeenObject,
  Sight,
} from '../../../domain/diagnosis/sight.ts';
import { isBusyState } from '../../../domain/states/table.ts';
import { usualTime } from '../../../domain/usual-times/usual-times.ts';

/** By the id of a row: what it has to recognise. The first one is shown in docs/troubleshooting.md. */
export type Examples = Readonly<Record<string, readonly [Sight, ...Sight[]]>>;

export const NOW = Date.parse('2026-01-01T12:00:00Z');

const objectOf = (kind: string, name: string): SeenObject => ({
  kind,
  namespace: 'metal',
  name,
  generation: 1,
  creationTimestamp: '2026-01-01T11:00:00Z',
  deleting: false,
  annotations: {},
  conditions: [],
  texts: [],
});

/** A host that runs its image and lacks nothing. */
export const aHealthyHost: SeenHost = {
  ...objectOf('BareMetalHost', 'node-1'),
  state: 'provisioned',
  nodeId: '2f6a1c9e-0c5b-4a53-9d0e-7b1f4f0f8a11',
  operationalStatus: 'OK',
  errorCount: 0,
  provisioningFailCount: 0,
  poweredOn: true,
  online: true,
  wantsImage: true,
  imageUrl: 'http://images.example/ubuntu.raw',
  bmcAddress: 'redfish-virtualmedia://10.0.0.7/redfish/v1/Systems/1',
  credentialsName: 'node-1-bmc',
  registrySecret: 'node-1-registry',
  consumer: '',
  since: NOW - 60_000,
};

/** A machine whose Node runs. */
export const aHealthyMachine: SeenMachine = {
  ...objectOf('Metal3Machine', 'worker-1-infra'),
  host: 'node-1',
  owner: 'worker-1',
  node: 'node-1',
};

/** A Machine of the Machine API whose Node runs. */
export const aMachineOfMachineApi: SeenMachine = {
  ...objectOf('Machine.machine.openshift.io', 'worker-2'),
  host: 'node-1',
  owner: '',
  node: 'node-1',
};

export const aHealthyCluster: SeenCluster = {
  ...objectOf('Cluster', 'prod'),
  paused: false,
  metal3Cluster: 'prod-x7k2p',
};

export function hostSight(change: Partial<SeenHost>): Sight {
  const host = { ...aHealthyHost, ...change };
  const usual = isBusyState(host.state) && { usual: { ...usualTime({}, '', host.state), model: '' } };
  return { now: NOW, host: { ...host, ...usual } };
}

/** A host that shows this error. */
export const hostError = (errorType: ErrorType, message: string, change: Partial<SeenHost> = {}): Sight =>
  hostSight({
    operationalStatus: 'error',
    errorType,
    errorCount: 1,
    poweredOn: false,
    texts: [{ field: 'status.errorMessage', words: message }],
    state: STATE_OF[errorType],
    ...change,
  });

/** Of an Ironic node. */
export const NODE = '1be26c0b-03f2-4d2e-ae87-c02d7f33c123';
/** How each error of an adoption begins. */
export const ADOPTION_FAILED = `Host adoption failed: Error while attempting to adopt node ${NODE}: `;

/** A host whose deployment failed for this reason. */
export const aDeployment = (reason: string, url = 'http://images.example/ubuntu.raw'): Sight =>
  hostError(
    'provisioning error',
    `Image provisioning failed (url: ${url}, checksum: http://images.example/SUMS): ${reason}`,
  );

const STATE_OF: Readonly<Record<ErrorType, SeenHost['state']>> = {
  'registration error': 'registering',
  'provisioned registration error': 'provisioned',
  'inspection error': 'inspecting',
  'preparation error': 'preparing',
  'provisioning error': 'provisioning',
  'power management error': 'provisioned',
  'servicing error': 'provisioned',
};

export const aCondition = (type: string, status: 'True' | 'False', reason: string, message = ''): SeenCondition => ({
  type,
  status,
  reason,
  message,
  since: '2026-01-01T11:30:00Z',
  observedGeneration: 1,
});

/** A machine without a host whose association says this. */
export const machineWaits = (reason: string, message: string, more: Partial<Sight> = {}): Sight => ({
  now: NOW,
  machine: {
    ...aHealthyMachine,
    host: '',
    node: '',
    conditions: [aCondition('AssociateBareMetalHost', 'False', reason, message)],
  },
  ...more,
});

/** A machine with a host whose data or Node says this. */
export const machineSays = (
  message: string,
  reason = 'CreateError',
  type = 'AssociateMetal3MachineMetaData',
): Sight => ({
  now: NOW,
  machine: { ...aHealthyMachine, node: '', conditions: [aCondition(type, 'False', reason, message)] },
});

export const clusterSays = (message: string, change: Partial<SeenCluster> = {}): Sight => ({
  now: NOW,
  cluster: {
    ...aHealthyCluster,
    texts: message === '' ? [] : [{ field: 'status.conditions of its Metal3Cluster', words: message }],
    ...change,
  },
});
