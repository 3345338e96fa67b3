import { explanationOf } from '../../cli/explain/explain.ts';
import type { Explanation } from '../../cli/explain/explanation.ts';
import type { RunSeen } from '../../cli/explain/run.ts';
import { createReading } from '../../cli/reading.ts';
import { KubeError } from '../../kube/client.ts';
import type { FollowedKind } from '../../kube/kinds.ts';
import { collectionPath } from '../../kube/paths.ts';
import { NOW } from './diagnoses/sights.ts';
import { objectsInMemory } from './objects-in-memory.ts';
import { withoutGroup } from './partial-api.ts';

/** `refused`: what may not be read has this in its path; `unserved`: a group that is not installed. */
export const server = (refused = '', unserved?: string) => {
  const { kube: stored } = objectsInMemory();
  const kube = unserved === undefined ? stored : withoutGroup(stored, unserved);
  const forbidden = (path: string): void => {
    if (refused === '' || !path.includes(refused)) return;
    throw new KubeError(`GET ${path}`, 403, { reason: 'Forbidden', message: 'it is forbidden' });
  };
  return {
    async put(kind: FollowedKind, name: string, object: object, namespace = 'metal'): Promise<void> {
      const { metadata, ...rest } = { metadata: {}, ...object };
      const body = { metadata: { name, namespace, ...metadata }, ...rest };
      await kube.request({ method: 'POST', path: collectionPath(kind, namespace), body });
    },
    reading: createReading({
      async find(path) {
        forbidden(path);
        return kube.find(path);
      },
      async request(call) {
        forbidden(call.path);
        return kube.request(call);
      },
    }),
  };
};
export type Server = ReturnType<typeof server>;

const ADDRESS = 'redfish-virtualmedia://10.0.0.7/redfish/v1/Systems/1';
export const spec = { online: true, bmc: { address: ADDRESS, credentialsName: 'node-1-bmc' } };
export const status = {
  operationalStatus: 'OK',
  errorMessage: '',
  errorCount: 0,
  provisioningFailCount: 0,
  poweredOn: false,
  lastUpdated: '2026-01-01T11:59:00Z',
  provisioning: { state: 'inspecting', ID: 'n' },
  operationHistory: { inspect: { start: '2026-01-01T11:50:00Z', end: null } },
  goodCredentials: { credentials: { name: 'node-1-bmc', namespace: 'metal' }, credentialsVersion: '7' },
};
export const TIMEOUT = 'timeout reached while inspecting the node';
export const FAILED = {
  ...status,
  operationalStatus: 'error',
  errorType: 'inspection error',
  errorMessage: TIMEOUT,
  errorCount: 2,
};
/** A BareMetalHost whose inspection has failed. */
export const object = (more: object = {}) => ({
  apiVersion: 'metal3.io/v1alpha1',
  kind: 'BareMetalHost',
  metadata: { finalizers: ['baremetalhost.metal3.io'] },
  spec,
  status: FAILED,
  ...more,
});
export const PLACES = { namespace: 'metal', bridgeNamespace: 'temper-system' };
/** What `temper explain` finds out about host node-1 or machine worker-1; `answers`: of their runs, by kind. */
export const explained = async (
  { reading }: Server,
  kind: 'host' | 'machine' = 'host',
  answers: Readonly<Record<string, RunSeen | string>> = {},
): Promise<Explanation> => {
  const found = await explanationOf(
    { kind, name: kind === 'host' ? 'node-1' : 'worker-1', ...PLACES },
    reading,
    async (objects) => objects.map(({ kind: of }) => answers[of] ?? `run of ${of}: not there`),
    NOW,
  );
  if (found === undefined) throw new Error('there is no explanation');
  return found;
};
