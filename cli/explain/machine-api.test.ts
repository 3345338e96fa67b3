import { describe, expect, test } from 'vitest';
import { diagnose } from '../../domain/diagnosis/diagnose.ts';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { hostError } from '../../test/builders/diagnoses/sights.ts';
import { explained, object, type Server, server, TIMEOUT } from '../../test/builders/explained.ts';

describe('the explanation of a Machine of the Machine API', () => {
  const put = (api: Server, kind: FollowedKind, more: object = {}) =>
    api.put(kind, 'worker-1', {
      metadata: { annotations: { 'metal3.io/BareMetalHost': 'metal/node-1' } },
      status: { nodeRef: { kind: 'Node', name: 'node-a' } },
      ...more,
    });

  test.each([KINDS.openShiftMachine, KINDS.clusterMachine])('goes from it to its Node: $kind', async (kind) => {
    const api = server();
    await put(api, kind);
    await api.put(KINDS.host, 'node-1', object());
    await api.put(KINDS.secret, 'node-1-bmc', {});
    const id = `${kind.kind.toLowerCase()}/metal/worker-1`;
    const answers = {
      [kind.kind]: { id, waitingFor: 'waiting for host node-1' },
      BareMetalHost: { id: 'baremetalhost/metal/node-1', waitingFor: '' },
    };
    const { kind: of, chain, causes, stands, plan, unread } = await explained(api, 'machine', answers);
    expect(of).toBe(kind.kind);
    expect(chain.map(({ kind: each, name, says }) => `${each} ${name}: ${says}`)).toEqual([
      `${kind.kind} worker-1: as desired`,
      'BareMetalHost node-1: inspecting, in error, powered off',
      'Ironic node n: ',
      'Node node-a: ',
      `run ${id}: waiting for host node-1`,
      'run baremetalhost/metal/node-1: busy',
    ]);
    expect(stands).toBe('on host node-1 (inspecting, in error, powered off), as Node node-a');
    expect(causes).toEqual(diagnose(hostError('inspection error', TIMEOUT)));
    expect(plan?.steps.length).toBeGreaterThan(0);
    expect(unread).toEqual([]);
  });

  test.each([
    [KINDS.openShiftMachine, 'machine.machine.openshift.io/worker-1'],
    [KINDS.clusterMachine, 'machine.cluster.k8s.io/worker-1'],
  ])('that is being deleted says so first, with a command for its own kind: $kind', async (kind, name) => {
    const api = server();
    const metadata = { deletionTimestamp: '2026-01-01T11:59:00Z', finalizers: ['machine.machine.openshift.io'] };
    await put(api, kind, { metadata });
    const { causes, stands } = await explained(api, 'machine');
    expect(stands).toBe('without a host, to be deleted');
    expect(causes.map(({ id, commands }) => [id, commands])).toEqual([
      ['machine-api-deleting', [`kubectl -n metal describe ${name}`]],
    ]);
    expect(causes[0]?.evidence[0]?.object).toBe(`${kind.kind} metal/worker-1`);
  });

  test('without a host says what its status and its run say', async () => {
    const api = server();
    const errorMessage = 'ProviderSpec: image.url is missing';
    await put(api, KINDS.openShiftMachine, { metadata: {}, status: { errorMessage } });
    const { chain, stands, waitsFor } = await explained(api, 'machine');
    expect([stands, waitsFor]).toEqual(['without a host', errorMessage]);
    expect(chain.map(({ name, says }) => [name, says])).toEqual([
      ['worker-1', errorMessage],
      ['', 'none yet'],
      ['', 'none yet'],
    ]);
  });

  test('does not mention kinds that the API server does not know', async () => {
    const api = server('', 'infrastructure.cluster.x-k8s.io');
    await put(api, KINDS.openShiftMachine, { metadata: {} });
    const { unread } = await explained(api, 'machine');
    expect(unread.filter((line) => !line.startsWith('run'))).toEqual([]);
  });
});
