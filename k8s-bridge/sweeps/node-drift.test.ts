import { describe, expect, test } from 'vitest';
import { nodeState } from '../../activities/ironic/client/schemas.ts';
import { occupiedInWords } from '../../domain/ironic/occupied.ts';
import { type BareMetalHostRead, readHost } from '../../kube/objects/baremetalhost.ts';
import { aNode } from '../../test/builders/host.ts';
import {
  comparedNode,
  differs,
  isUnadoptable,
  isUnused,
  nodeIdOf,
  observedNode,
  wasWrittenSince,
} from './node-drift.ts';

type Host = BareMetalHostRead;

/** A provisioned host that is powered on and healthy, according to its status. */
const aShownHost = (status: object = {}, metadata: object = {}): Host =>
  readHost({
    metadata: { name: 'h', namespace: 'metal', uid: 'u', resourceVersion: '1', generation: 1, ...metadata },
    spec: {},
    status: {
      operationalStatus: 'OK',
      poweredOn: true,
      provisioning: { state: 'provisioned', ID: 'n' },
      lastUpdated: '2026-01-01T00:00:00Z',
      conditions: [aCondition('Healthy', 'Unknown'), aCondition('Manageable', 'Manageable')],
      ...status,
    },
  });
const aCondition = (type: string, reason: string): object => ({
  type,
  reason,
  status: 'Unknown',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
const running = aNode({ state: 'active', poweredOn: true });

describe('a host that shows its node as it is', () => {
  test.each<[string, Host, Parameters<typeof differs>[1]]>([
    ['is not told', aShownHost(), running],
    [
      'that is available is not told that its node is',
      aShownHost({ provisioning: { state: 'available', ID: 'n' } }),
      { ...running, state: 'available' },
    ],
    ['is not told when Ironic does not know the power', aShownHost(), { ...running, poweredOn: null }],
    [
      'is not told of health that it shows',
      aShownHost({ conditions: [aCondition('Healthy', 'Warning')] }),
      { ...running, health: 'Warning' },
    ],
    ['is not told of a health that means nothing to us', aShownHost(), { ...running, health: 'purple' }],
  ])('%s', (_, host, node) => {
    expect(differs(host, node)).toBe(false);
  });
});

describe('a host is signalled when its node', () => {
  test.each<[string, Parameters<typeof differs>[1]]>([
    ['was switched off', { ...running, poweredOn: false }],
    ['is gone', undefined],
    ['can not be reached', { ...running, fault: 'power failure' }],
    ['is not well', { ...running, health: 'Critical' }],
    ['is well, which is news', { ...running, health: 'OK' }],
    ['is no longer in use', { ...running, state: 'manageable' }],
    ['could be deployed for somebody else', { ...running, state: 'available' }],
    ['was to be cleaned', { ...running, state: 'clean failed' }],
    ['is being deployed', { ...running, state: 'wait call-back' }],
  ])('%s', (_, node) => {
    expect(differs(aShownHost(), node)).toBe(true);
  });
  test('can be reached again', () => {
    expect(differs(aShownHost({ conditions: [aCondition('Manageable', 'PowerFailure')] }), running)).toBe(true);
  });
});

describe('the node of a host that is in use, in a state of another operation,', () => {
  const external = aShownHost({ provisioning: { state: 'externally provisioned', ID: 'n' } });
  const deprovisioning = aShownHost({ provisioning: { state: 'deprovisioning', ID: 'n' } });
  test.each([
    ['available', 'unused', 'nothing'],
    ['clean failed', 'unused', 'unused'],
    ['inspect failed', 'unused', 'unused'],
    ['deploy failed', 'unadoptable', 'unadoptable'],
    ['clean wait', 'unadoptable', 'unadoptable'],
    ['active', 'nothing', 'nothing'],
    ['adopting', 'nothing', 'nothing'],
    ['servicing', 'nothing', 'nothing'],
  ])('%s: %s, and %s when its host is externally provisioned', (state, whenProvisioned, whenExternal) => {
    const node = { ...running, state };
    const verdict = (host: Host): string =>
      isUnused(host, node) ? 'unused' : isUnadoptable(host, node) ? 'unadoptable' : 'nothing';
    expect([verdict(aShownHost()), verdict(external), verdict(deprovisioning)]).toEqual([
      whenProvisioned,
      whenExternal,
      'nothing',
    ]);
  });
  test('is told once for each state that Ironic can not adopt, and when it is over', () => {
    const message = "Ironic has node n in state 'wait call-back', although the host is in use: ...";
    const host = aShownHost({ conditions: [{ ...aCondition('Manageable', 'NodeNotInUse'), message }] });
    const isTold = (change: Partial<typeof running>): boolean => differs(host, { ...running, ...change });
    expect(isTold({ state: 'wait call-back' })).toBe(false);
    expect(isTold({ state: 'wait call-back', fault: 'power failure' })).toBe(false);
    expect(isTold({ state: 'deploy failed' })).toBe(true);
    expect(isTold({ state: 'active' })).toBe(true);
  });
  test('enroll, counts as one that is not registered', () => {
    const enrolled = nodeState.parse({ uuid: 'n', provision_state: 'enroll', power_state: null });
    expect(comparedNode(aShownHost(), enrolled)).toBeUndefined();
    expect(comparedNode(external, enrolled)).toBeUndefined();
    expect(comparedNode(aShownHost({ provisioning: { state: 'available', ID: 'n' } }), enrolled)).toBeUndefined();
    expect(comparedNode(deprovisioning, enrolled)).toMatchObject({ state: 'enroll' });
  });
});

describe('a free host', () => {
  const provisioning = { state: 'available', ID: 'n' };
  const free = (status: object = {}, spec: object = {}): Host =>
    readHost({ ...FREE, spec, status: { ...FREE.status, provisioning, ...status } });
  const FREE = {
    metadata: { name: 'h', namespace: 'metal', uid: 'u', resourceVersion: '1', generation: 1 },
    status: { poweredOn: true, conditions: [aCondition('Manageable', 'Manageable')] },
  };
  const errorMessage = occupiedInWords(running);

  test.each(['active', 'deploying', 'wait call-back', 'adopting', 'rescue'])(
    'is told that its node is %s, until it shows that',
    (state) => {
      expect(differs(free(), { ...running, state })).toBe(true);
      expect(differs(free({ errorType: 'provisioning error', errorMessage }), { ...running, state })).toBe(false);
    },
  );
  test.each(['available', 'cleaning', 'deploy failed'])('is not told that its node is %s', (state) => {
    expect(differs(free(), { ...running, state })).toBe(false);
  });
  test('is told when what ran on its node is gone', () => {
    expect(differs(free({ errorType: 'provisioning error', errorMessage }), { ...running, state: 'available' })).toBe(
      true,
    );
  });
  test('that asks for a deployment learns of it by that', () => {
    expect(differs(free({}, { image: { url: 'http://images/a' } }), running)).toBe(false);
    expect(differs(free({}, { customDeploy: { method: 'install' } }), running)).toBe(false);
  });
});

describe('a node whose operation is retried anyway is not signalled', () => {
  test('a registration that failed', () => {
    expect(differs(aShownHost({ errorType: 'registration error' }), undefined)).toBe(false);
  });
  test('an adoption that failed', () => {
    const host = aShownHost({ errorType: 'provisioned registration error' });
    expect(differs(host, { ...running, state: 'adopt failed' })).toBe(false);
  });
});

describe('nothing is compared', () => {
  test.each<[string, Host]>([
    ['of a host without a node', aShownHost({ provisioning: { state: 'unmanaged', ID: '' } })],
    ['while it is registered', aShownHost({ provisioning: { state: 'registering', ID: 'n' } })],
    ['while it is deleted', aShownHost({ provisioning: { state: 'deleting', ID: 'n' } })],
    ['of a detached host, whose node is meant to be gone', aShownHost({ operationalStatus: 'detached' })],
    ['of a paused host', aShownHost({}, { annotations: { 'baremetalhost.metal3.io/paused': '' } })],
    [
      'of a host that was moved away',
      aShownHost(
        {},
        {
          annotations: { 'clusterctl.cluster.x-k8s.io/delete-for-move': '' },
          deletionTimestamp: '2026-01-01T00:00:00Z',
        },
      ),
    ],
    ['of a host whose status makes no sense', aShownHost({ provisioning: 'what?' })],
  ])('%s', (_, host) => {
    expect(nodeIdOf(host)).toBe('');
  });
  test('with what is older than the status', () => {
    const written = Date.parse('2026-01-01T00:00:00Z');
    expect(nodeIdOf(aShownHost())).toBe('n');
    expect(wasWrittenSince(aShownHost(), written - 5_000, written)).toBe(true);
    expect(wasWrittenSince(aShownHost(), written + 500, written)).toBe(true);
    expect(wasWrittenSince(aShownHost(), written + 1_000, written)).toBe(false);
    expect(wasWrittenSince(aShownHost({ lastUpdated: undefined }), written, written)).toBe(false);
    // The clock of the bridge that wrote it was a year ahead.
    const year = 365 * 86_400_000;
    expect(wasWrittenSince(aShownHost(), written - year, written - year)).toBe(false);
  });
});

test('the observation of a node has no last error, which may quote a password', () => {
  const node = nodeState.parse({ uuid: 'n', provision_state: 'active', power_state: 'power on', last_error: 'canary' });
  expect(observedNode(node)).toMatchObject({ state: 'active', poweredOn: true, lastError: null });
});
