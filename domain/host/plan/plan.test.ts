import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PROVISIONING_STATES } from '../../../api/baremetalhost/values.ts';
import { aNode, aSnapshot, IMAGE, NOW } from '../../../test/builders/host.ts';
import { absorb } from '../memory/take-in.ts';
import { memoryOf } from './from-object.ts';
import { type HostPlan, planOf, planOfChange } from './plan.ts';

type Snapshot = Parameters<typeof aSnapshot>[0];

const status = (state: (typeof PROVISIONING_STATES)[number], more: object = {}, provisioning: object = {}) => ({
  operationalStatus: 'OK' as const,
  errorMessage: '',
  errorCount: 0,
  provisioningFailCount: 0,
  poweredOn: state === 'provisioned',
  hardwareProfile: 'unknown',
  provisioning: { state, ID: aNode().id, rootDeviceHints: { deviceName: '/dev/sda' }, ...provisioning },
  goodCredentials: { credentials: { name: 'node-1-bmc', namespace: 'metal' }, credentialsVersion: '90' },
  triedCredentials: { credentials: { name: 'node-1-bmc', namespace: 'metal' }, credentialsVersion: '90' },
  ...more,
});
const plan = (snapshot: Snapshot, held = true): HostPlan =>
  planOf(memoryOf({ snapshot: aSnapshot(snapshot), held, situation: '' }), NOW);
/** `state: what it does`, with `!` before what erases. */
const told = ({ steps }: HostPlan): readonly string[] =>
  steps.map(({ state, does, erases }) => `${state}: ${erases === undefined ? '' : '! '}${does}`);
const BMC = {
  address: 'redfish-virtualmedia+http://127.0.0.1:8000/redfish/v1/Systems/1',
  credentialsName: 'node-1-bmc',
};
const RUNNING = status('provisioned', {}, { image: IMAGE });
const DISK = 'the disk with deviceName /dev/sda';

describe('the plan of a host', () => {
  test('that is new, with an image, goes from registration to the running image, and names what it erases', () => {
    const whole = plan({ spec: { online: true, image: IMAGE } }, false);
    expect(told(whole)).toEqual([
      'registering: register with Ironic, and verify the BMC',
      'inspecting: boot the deploy agent, and inspect the hardware',
      'provisioning: ! clean the disks',
      `provisioning: ! write http://images/a.raw to ${DISK}, and boot it`,
    ]);
    expect(whole.steps.map(({ erases }) => erases).filter(Boolean)).toEqual([
      'the partition tables of all disks',
      DISK,
    ]);
    expect(whole.end).toEqual({
      kind: 'waits',
      state: 'provisioned',
      poweredOn: true,
      reason: 'provisioned as desired',
    });
  });

  test('whose BMC boots over the network waits for slots', () => {
    const bmc = { address: 'redfish+http://127.0.0.1:8000/redfish/v1/Systems/1', credentialsName: 'node-1-bmc' };
    expect(told(plan({ spec: { online: true, bmc } })).filter((line) => line.includes('slot'))).toEqual([
      'registering: wait for one of 20 slots in Ironic, if all are taken',
    ]);
  });

  test('without the Secret of its BMC ends at its registration', () => {
    const { steps, end } = plan({ bmcSecret: { name: 'node-1-bmc', resourceVersion: null } });
    expect(steps).toHaveLength(1);
    expect(end).toMatchObject({
      state: 'registering',
      reason:
        'waiting for a change after registration error: the Secret metal/node-1-bmc with the credentials of the BMC does not exist',
    });
  });

  test.each(['registering', 'available', 'provisioned'] as const)(
    'that is %s without the Secret of its network ends at its registration',
    (state) => {
      const { steps, end } = plan({
        spec: { online: true, image: IMAGE, preprovisioningNetworkDataName: 'net' },
        preprovisioningNetworkData: { name: 'net', resourceVersion: null },
        status: status(state, {}, { image: IMAGE }),
      });
      expect(steps).toHaveLength(1);
      expect(end).toMatchObject({
        kind: 'waits',
        state,
        reason:
          'waiting to try again after registration error: the Secret metal/net with the network data of the deploy agent does not exist',
      });
    },
  );

  test('that runs what it should does nothing', () => {
    expect(plan({ spec: { online: true, image: IMAGE }, status: RUNNING })).toEqual({
      steps: [],
      end: { kind: 'waits', state: 'provisioned', poweredOn: true, reason: 'provisioned as desired' },
    });
  });

  test('that is to be off is powered off, and nothing is erased', () => {
    expect(told(plan({ spec: { online: false, image: IMAGE }, status: RUNNING }))).toEqual([
      'provisioned: power off (soft)',
    ]);
  });

  test('whose cleaning is disabled loses only the disk that is written', () => {
    const spec = { online: true, image: IMAGE, automatedCleaningMode: 'disabled' as const };
    expect(told(plan({ spec, status: status('available') }))).toEqual([
      `provisioning: ! write http://images/a.raw to ${DISK}, and boot it`,
    ]);
  });

  test('with a live ISO writes nothing', () => {
    const spec = { online: true, image: { url: 'http://user:secret@images/a.iso?sig=x', format: 'live-iso' as const } };
    expect(told(plan({ spec: { ...spec, automatedCleaningMode: 'disabled' }, status: status('available') }))).toEqual([
      'provisioning: boot the live ISO http://images/a.iso',
    ]);
  });

  test('with new RAID volumes deletes those that are there', () => {
    const raid = { softwareRAIDVolumes: [{ level: '1' as const, rootVolume: false }] };
    expect(told(plan({ spec: { raid }, status: status('available') }))).toEqual([
      'preparing: ! delete the RAID volumes',
      'preparing: ! clean the disks',
      'preparing: build the RAID volumes of spec.raid',
    ]);
  });

  test('that is deleted is deprovisioned first, and then gone', () => {
    const whole = plan({ deletionTimestamp: '2026-01-01T00:00:00Z', spec: { image: IMAGE }, status: RUNNING });
    expect(told(whole)).toEqual([
      'deprovisioning: remove http://images/a.raw',
      'deprovisioning: ! clean the disks',
      'deleting: delete the node from Ironic',
      'deleting: release Secrets, HardwareData and PreprovisioningImage',
    ]);
    expect(whole.end).toEqual({ kind: 'gone' });
  });

  test('that is paused does nothing, and says why', () => {
    const { steps, end } = plan({ annotations: { 'baremetalhost.metal3.io/paused': '' }, spec: { image: IMAGE } });
    expect([steps, end]).toMatchObject([[], { reason: 'paused by the annotation baremetalhost.metal3.io/paused' }]);
  });

  test('whose deployment failed removes it, and deploys again', () => {
    const failed = status('provisioning', {
      operationalStatus: 'error',
      errorType: 'provisioning error',
      errorMessage: 'no',
      lastAttemptedImage: IMAGE,
    });
    const states = plan({ spec: { online: true, image: IMAGE }, status: failed }).steps.map(({ state }) => state);
    expect(states).toEqual(['deprovisioning', 'deprovisioning', 'provisioning']);
  });
});

describe('a host that is busy', () => {
  const spec = { online: true, image: IMAGE };
  const busy = (state: 'inspecting' | 'provisioning' | 'deprovisioning', bmc = BMC): Snapshot => ({
    spec: { ...spec, bmc },
    status: status(state, { lastAttemptedImage: IMAGE }),
  });
  const underway = ({ steps }: HostPlan): readonly string[] =>
    steps.flatMap(({ does, isUnderway }) => (isUnderway ? [does] : []));

  test.each([
    ['inspecting', ['boot the deploy agent, and inspect the hardware']],
    ['provisioning', [`write http://images/a.raw to ${DISK}, and boot it`]],
    ['deprovisioning', ['remove what is deployed', 'clean the disks']],
  ] as const)('with %s is told to be so, and waits for no slot that it has', (state, does) => {
    const network = { ...BMC, address: 'redfish+http://127.0.0.1:8000/redfish/v1/Systems/1' };
    for (const bmc of [BMC, network]) {
      const whole = plan(busy(state, bmc));
      expect(underway(whole)).toEqual(does);
      expect(told(whole)[0]).not.toContain('slot');
    }
  });

  test('does not clean disks again that its deployment has cleaned', () => {
    expect(told(plan(busy('provisioning')))).toEqual([
      `provisioning: ! write http://images/a.raw to ${DISK}, and boot it`,
    ]);
  });

  test.each([
    ['inspecting', 'abort the inspection'],
    ['provisioning', 'abort the deployment'],
  ] as const)('with %s aborts that first when it is deleted', (state, does) => {
    const snapshot = busy(state);
    const live = memoryOf({ snapshot: aSnapshot(snapshot), held: true, situation: '' });
    const gone = aSnapshot({ ...snapshot, resourceVersion: '101', deletionTimestamp: '2026-01-01T00:00:00Z' });
    const [first, ...rest] = planOfChange(live, absorb(live, gone), NOW).steps;
    expect(first).toEqual({ state, does });
    expect(rest.length).toBeGreaterThan(0);
  });

  test('with the removal of its image goes on with that when it is deleted', () => {
    const snapshot = busy('deprovisioning');
    const live = memoryOf({ snapshot: aSnapshot(snapshot), held: true, situation: '' });
    const gone = aSnapshot({ ...snapshot, resourceVersion: '101', deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect(underway(planOfChange(live, absorb(live, gone), NOW))).toContain('remove what is deployed');
  });
});

describe('a host with the annotation of an abort', () => {
  const annotations = { 'temper/abort': '{"by":"ann","reason":"wrong image"}' };
  const snapshot = { annotations, spec: { online: true, image: IMAGE }, status: status('provisioning') };
  const after = (situation: string) => planOf(memoryOf({ snapshot: aSnapshot(snapshot), held: true, situation }), NOW);

  test('is aborted, and then waits', () => {
    const { steps, end } = after('deploying since 12:00');
    expect(steps.map(({ does }) => does)).toEqual(['abort what Ironic does']);
    expect(end).toMatchObject({ kind: 'waits', reason: expect.stringMatching(/^parked by an abort/) as unknown });
  });

  test('only waits when that was done', () => {
    const { steps, end } = after('parked by an abort, by ann: wrong image; resume or retry goes on');
    expect(steps).toEqual([]);
    expect(end).toMatchObject({ reason: 'parked by an abort, by ann: wrong image; resume or retry goes on' });
  });
});

describe('a changed spec', () => {
  const changed = (spec: NonNullable<Snapshot>['spec']): readonly string[] => {
    const live = memoryOf({
      snapshot: aSnapshot({ spec: { online: true, image: IMAGE }, status: RUNNING }),
      held: true,
      situation: '',
    });
    const seen = aSnapshot({ resourceVersion: '101', spec: { online: true, image: IMAGE, ...spec } });
    return told(planOf(absorb(live, seen), NOW));
  };

  test('with another image removes the one and deploys the other', () => {
    expect(changed({ image: { ...IMAGE, url: 'http://images/b.raw' } })).toEqual([
      'deprovisioning: remove http://images/a.raw',
      'deprovisioning: ! clean the disks',
      `provisioning: ! write http://images/b.raw to ${DISK}, and boot it`,
    ]);
  });

  test('with another mode of cleaning is told to Ironic alone', () => {
    expect(changed({ automatedCleaningMode: 'disabled' })).toEqual([
      'provisioned: send to Ironic: spec.automatedCleaningMode',
    ]);
  });

  test.each([
    ['spec.bmc.disableCertificateVerification', { disableCertificateVerification: true }],
    ['spec.bmc.address', { address: 'redfish-virtualmedia+http://127.0.0.1:8000/redfish/v1/Systems/2' }],
    ['spec.bmc.credentialsName', { credentialsName: 'other-bmc' }],
  ])('with another %s says that this is sent, and nothing else', (field, change) => {
    const bmc = { ...BMC, ...change };
    expect(changed({ bmc })).toEqual([`provisioned: send to Ironic: ${field}`]);
  });

  test('with several settings says which are sent', () => {
    expect(changed({ bmc: { ...BMC, disableCertificateVerification: true }, disablePowerOff: true })).toEqual([
      'provisioned: send to Ironic: spec.bmc.disableCertificateVerification, spec.disablePowerOff',
    ]);
  });

  test('that no longer names a MAC address sends nothing', () => {
    expect(changed({ bootMACAddress: '' })).toEqual([]);
  });

  test('with the same spec does nothing', () => {
    expect(changed({})).toEqual([]);
  });
});

test('a plan ends, whatever the host shows and wants', () => {
  const states = fc.constantFrom(...PROVISIONING_STATES);
  const spec = fc.record({
    online: fc.boolean(),
    image: fc.option(fc.constant(IMAGE), { nil: undefined }),
    externallyProvisioned: fc.boolean(),
    automatedCleaningMode: fc.constantFrom('metadata' as const, 'disabled' as const),
    inspectionMode: fc.constantFrom('agent' as const, 'disabled' as const, 'fast' as const),
  });
  fc.assert(
    fc.property(states, spec, fc.boolean(), fc.boolean(), (state, { image, ...rest }, deleting, held) => {
      const { end } = plan(
        {
          spec: { ...rest, ...(image && { image }) },
          status: status(state),
          ...(deleting && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
        },
        held,
      );
      expect(end.kind).not.toBe('endless');
      expect(end.kind === 'gone').toBe(deleting);
    }),
  );
});
