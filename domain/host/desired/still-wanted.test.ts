import { describe, expect, test } from 'vitest';
import { aHost, IMAGE, NOW } from '../../../test/builders/host.ts';
import { desiredBmc } from '../../ironic/node-settings.ts';
import type { HostMemory } from '../memory/memory.ts';
import type { Task } from '../memory/task.ts';
import { nextStep } from '../next-step.ts';
import { stillWanted, undesiredReason } from './still-wanted.ts';

const spec = { online: true, image: IMAGE, userData: { name: 'user-data' } };
const DELETED = '2026-01-01T00:00:00Z';
type Seen = NonNullable<Parameters<typeof aHost>[0]>['seen'];

const host = (state: 'provisioning' | 'inspecting' | 'deprovisioning', seen: Seen = { spec }): HostMemory =>
  aHost({ state, status: { lastAttemptedImage: IMAGE }, seen });

function taskOf(memory: HostMemory): Task {
  const step = nextStep(memory, NOW);
  if (step.kind !== 'run') throw new Error('it should run an operation');
  return step.operation;
}

describe('a running operation is cancelled', () => {
  test.each([
    ['the host is to be deleted', { spec, deletionTimestamp: DELETED }, 'host deleted'],
    [
      'another image is asked for',
      { spec: { ...spec, image: { ...IMAGE, url: 'http://images/b.raw' } } },
      'spec.image changed',
    ],
    ['no image is asked for', { spec: { online: true } }, 'spec.image removed'],
    [
      'a deploy step is asked for',
      { spec: { online: true, customDeploy: { method: 'x' } } },
      'spec.customDeploy changed',
    ],
    ['a reboot is forced', { spec, annotations: { 'reboot.metal3.io': '{"force":true}' } }, 'reboot forced'],
  ] as const)('by a deployment when %s, and says so', (_, seen, why) => {
    const task = taskOf(host('provisioning'));
    expect(stillWanted(host('provisioning'), task)).toBe(true);
    expect(stillWanted(host('provisioning', seen), task)).toBe(false);
    expect(undesiredReason(host('provisioning', seen), task)).toBe(why);
  });
  test.each([
    ['the host is to be deleted', { deletionTimestamp: DELETED }, 'host deleted'],
    ['inspection is disabled', { spec: { inspectionMode: 'disabled' as const } }, 'inspection disabled'],
  ])('by an inspection when %s, and says so', (_, seen, why) => {
    expect(stillWanted(host('inspecting', seen), taskOf(host('inspecting')))).toBe(false);
    expect(undesiredReason(host('inspecting', seen), taskOf(host('inspecting')))).toBe(why);
  });
  test('by a registration when the BMC or its credentials change or deletion begins, and by nothing else', () => {
    const task = {
      name: 'register',
      order: { deleting: false, bmc: desiredBmc(aHost().seen.spec) },
    } as never;
    expect(stillWanted(aHost(), task)).toBe(true);
    expect(stillWanted(aHost({ seen: { bmcSecret: { name: 'node-1-bmc', resourceVersion: '99' } } }), task)).toBe(true);
    expect(stillWanted(aHost({ seen: { deletionTimestamp: DELETED } }), task)).toBe(false);
    const { address, credentialsName } = desiredBmc(aHost().seen.spec);
    for (const bmc of [
      { address: 'redfish://b', credentialsName },
      { address, credentialsName: 'x' },
      { address, credentialsName, disableCertificateVerification: true },
    ])
      expect(stillWanted(aHost({ seen: { spec: { bmc } } }), task)).toBe(false);
  });
  test('by a registration that has the sealed URL of an image that was replaced', () => {
    const [sealed, other] = ['1', '2'].map((digit) => `https://built/a.iso?hidden=${digit.repeat(32)}`);
    const bmc = desiredBmc(aHost().seen.spec);
    const taskWith = (image: object): Task =>
      ({ name: 'register', order: { deleting: false, bmc, agentImage: { image, required: true } } }) as never;
    const built = (status: object): HostMemory => aHost({ seen: { image: { status } as never } });
    expect(stillWanted(built({ imageUrl: sealed }), taskWith({ url: sealed }))).toBe(true);
    expect(stillWanted(built({ imageUrl: other }), taskWith({ url: sealed }))).toBe(false);
    expect(stillWanted(aHost(), taskWith({ url: sealed }))).toBe(false);
    const kernel = { url: 'http://built/a', kernelUrl: sealed };
    expect(stillWanted(built({ imageUrl: other, kernelUrl: sealed }), taskWith(kernel))).toBe(true);
    expect(stillWanted(built({ imageUrl: 'http://built/a', kernelUrl: other }), taskWith(kernel))).toBe(false);
    // Without secrets the activity can go on.
    expect(stillWanted(built({ imageUrl: other }), taskWith({ url: 'http://built/a' }))).toBe(true);
  });
  test('by an adoption when the host is to be deleted', () => {
    const task = { name: 'adopt', order: {} } as never;
    expect(stillWanted(aHost(), task)).toBe(true);
    expect(stillWanted(aHost({ seen: { deletionTimestamp: DELETED } }), task)).toBe(false);
  });
  test.each([
    ['userData', { userData: { name: 'other' } }],
    ['metaData', { metaData: { name: 'added' } }],
    ['networkData', { networkData: { name: 'added' } }],
    ['data, namely none', { userData: undefined }],
  ])('not by a deployment whose host names other %s meanwhile', (_, data) => {
    const task = taskOf(host('provisioning'));
    const other = host('provisioning', { spec: { ...spec, ...data } as never });
    expect(stillWanted(other, task)).toBe(true);
  });
  test('not by a deployment of a host that is paused meanwhile', () => {
    const annotations = { 'baremetalhost.metal3.io/paused': '' };
    const paused = host('provisioning', { spec, annotations });
    expect(stillWanted(paused, taskOf(host('provisioning')))).toBe(true);
  });
  test.each(['inspecting', 'provisioning', 'deprovisioning'] as const)(
    'in %s when the host is detached by force',
    (state) => {
      const annotations = { 'baremetalhost.metal3.io/detached': '{"force":true}' };
      const task = taskOf(host(state));
      expect(stillWanted(host(state, { spec, annotations }), task)).toBe(false);
      const patient = { spec, annotations: { 'baremetalhost.metal3.io/detached': '' } };
      expect(stillWanted(host(state, patient), task)).toBe(true);
    },
  );
  test('that deprovisions when the host is deleted and to be left as it is', () => {
    const seen = { deletionTimestamp: DELETED, annotations: { 'baremetalhost.metal3.io/detached': '' } };
    expect(stillWanted(host('deprovisioning', seen), taskOf(host('deprovisioning')))).toBe(false);
    const delayed = { 'baremetalhost.metal3.io/detached': '{"deleteAction":"delay"}' };
    const later = host('provisioning', { spec, deletionTimestamp: DELETED, annotations: delayed });
    expect(stillWanted(later, taskOf(host('provisioning')))).toBe(true);
  });
  test('by a detachment that is no longer requested', () => {
    const task = { name: 'detach', order: {} } as never;
    expect(stillWanted(aHost({ seen: { annotations: { 'baremetalhost.metal3.io/detached': '' } } }), task)).toBe(true);
    expect(stillWanted(aHost(), task)).toBe(false);
  });
  test('by nothing that takes a host down', () => {
    const seen = { deletionTimestamp: DELETED };
    expect(stillWanted(host('deprovisioning', seen), taskOf(host('deprovisioning')))).toBe(true);
  });
});
