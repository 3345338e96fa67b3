import { describe, expect, test } from 'vitest';
import type { ProvisioningState } from '../../../api/baremetalhost/values.ts';
import { aHost, aSnapshot, CHANCE, IMAGE, NOW } from '../../../test/builders/host.ts';
import { said } from '../../../test/builders/step.ts';
import type { ImageFacts } from '../../preprovisioning/image.ts';
import { type HostMemory } from '../memory/memory.ts';
import { DEFAULT_HOST_SETTINGS } from '../memory/settings.ts';
import { absorb } from '../memory/take-in.ts';
import { nextStep } from '../next-step.ts';
import { record } from '../record.ts';

const settings = { ...DEFAULT_HOST_SETTINGS, buildsPreprovisioningImages: true };
const AGENT = { format: 'iso', url: 'http://images/agent.iso' } as const;

const anImage = (change: Partial<ImageFacts> = {}): ImageFacts => ({
  resourceVersion: '1',
  generation: 1,
  spec: { architecture: 'x86_64', acceptFormats: ['iso', 'initrd'] },
  status: {
    format: 'iso',
    imageUrl: AGENT.url,
    architecture: 'x86_64',
    conditions: [condition('Ready', 'True')],
  },
  deleting: false,
  hasFinalizer: true,
  labelled: true,
  ...change,
});

const condition = (type: string, status: 'True' | 'False', message = '') => ({
  type,
  status,
  message,
  reason: 'ImageSuccess',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  observedGeneration: 1,
});

const broken = (message: string) =>
  anImage({ resourceVersion: '2', status: { ...anImage().status, conditions: [condition('Error', 'True', message)] } });
const unbuilt = anImage({ status: {} });

type Host = NonNullable<Parameters<typeof aHost>[0]>;

const goodCredentials = { credentials: { name: 'node-1-bmc' }, credentialsVersion: '90' };
const builds = (state: ProvisioningState, image?: ImageFacts, host: Host = {}): HostMemory =>
  aHost({
    state,
    ...host,
    status: { goodCredentials, ...host.status },
    seen: { settings, ...(image && { image }), ...host.seen },
  });
const next = (memory: HostMemory): string => said(nextStep(memory, NOW));

/** Registered with the image that it should boot. */
function told(memory: HostMemory): HostMemory {
  return memory.registration === null
    ? memory
    : { ...memory, registration: { ...memory.registration, agentImage: AGENT } };
}

describe('a host whose images are built', () => {
  test.each<ProvisioningState>(['inspecting', 'preparing', 'deprovisioning'])(
    'asks for one, waits for it and tells Ironic of it before %s',
    (state) => {
      const asking = nextStep(builds(state), NOW);
      expect(asking).toMatchObject({
        kind: 'act',
        action: { name: 'image', order: { desired: { acceptFormats: ['iso', 'initrd'] } } },
      });
      expect(nextStep(builds(state, unbuilt), NOW)).toEqual({
        kind: 'wait',
        reason: 'waiting for its PreprovisioningImage',
      });
      expect(nextStep(builds(state, anImage()), NOW)).toMatchObject({
        action: { name: 'register', order: { agentImage: { image: AGENT, required: true } } },
      });
      expect(next(told(builds(state, anImage())))).not.toMatch(/register|image|wait/);
    },
  );

  test.each<[string, HostMemory]>([
    ['registering', builds('registering')],
    ['provisioned', builds('provisioned', undefined, { status: { provisioning: { state: 'provisioned', ID: '1' } } })],
    ['powering off before delete', builds('powering off before delete')],
    ['deleting', builds('deleting')],
    [
      'deprovisioning without cleaning',
      builds('deprovisioning', undefined, { seen: { settings, spec: { automatedCleaningMode: 'disabled' } } }),
    ],
    [
      'inspecting over the BMC',
      builds('inspecting', undefined, { seen: { settings, spec: { inspectionMode: 'fast' } } }),
    ],
  ])('needs none when %s', (_, memory) => {
    expect(next(memory)).not.toBe('image');
  });

  test('needs one in service', () => {
    const provisioning = { state: 'provisioned', ID: '1', image: IMAGE } as const;
    expect(next(builds('provisioned', undefined, { status: { operationalStatus: 'servicing', provisioning } }))).toBe(
      'image',
    );
  });

  test.each<ProvisioningState>(['available', 'provisioning'])('goes on without a finished one in %s', (state) => {
    expect(next(builds(state))).toBe('image');
    const seen = { settings, image: unbuilt, spec: { online: true, image: IMAGE } };
    const status = { lastAttemptedImage: IMAGE };
    expect(next(builds(state, unbuilt, { seen, status }))).toMatch(/become provisioning|run provision/);
  });

  test('asks for an initrd alone where the BMC boots no ISO, with network and architecture', () => {
    const spec = {
      bmc: { address: 'ipmi://10.0.0.1', credentialsName: 'x' },
      architecture: 'aarch64',
      preprovisioningNetworkDataName: 'net',
    };
    expect(nextStep(builds('inspecting', undefined, { seen: { settings, spec } }), NOW)).toMatchObject({
      action: { order: { desired: { networkDataName: 'net', architecture: 'aarch64', acceptFormats: ['initrd'] } } },
    });
  });

  test('waits for the network data that is in the Secret now', () => {
    const image = anImage({
      spec: { ...anImage().spec, networkDataName: 'net' },
      status: { ...anImage().status, networkData: { name: 'net', version: '5' } },
    });
    const at = (resourceVersion: string) =>
      next(
        builds('inspecting', image, {
          seen: {
            settings,
            image,
            spec: { preprovisioningNetworkDataName: 'net' },
            preprovisioningNetworkData: { name: 'net', resourceVersion },
          },
        }),
      );
    expect([at('6'), at('5')]).toEqual(['wait', 'register']);
  });

  test('does not ask twice before it sees the result, and asks again when another client changed it', () => {
    const asked = nextStep(builds('inspecting'), NOW);
    if (asked.kind !== 'act') throw new Error('nothing was asked for');
    const waiting = record(builds('inspecting'), asked.action, { kind: 'done' }, CHANCE);
    expect(next(waiting)).toBe('wait');
    const spoiled = aSnapshot({ settings, resourceVersion: '101', image: anImage({ spec: { acceptFormats: [] } }) });
    expect(next(absorb(waiting, spoiled))).toBe('image');
  });

  test('that lost its label, or its image, asks again', () => {
    expect(next(builds('inspecting', anImage({ labelled: false })))).toBe('image');
  });

  test("fails with the builder's message, tries again when that changes, and then registers again", () => {
    const step = nextStep(told(builds('preparing', broken('no space left'))), NOW);
    if (step.kind !== 'note') throw new Error(`expected a note: ${step.kind}`);
    expect(step.memory.status).toMatchObject({
      operationalStatus: 'error',
      errorType: 'registration error',
      errorMessage: 'no space left',
      errorCount: 1,
    });
    expect(next(step.memory)).toBe('wait');
    const healed = absorb(step.memory, aSnapshot({ settings, resourceVersion: '101', image: anImage() }));
    const again = nextStep(healed, NOW);
    expect(again.kind === 'note' && next(again.memory)).toBe('register');
  });

  test('sends Ironic another image, which is no change of its credentials', () => {
    const other = anImage({ status: { ...anImage().status, imageUrl: 'http://images/other.iso' } });
    const memory = told(builds('preparing', other));
    expect(nextStep(memory, NOW)).toMatchObject({
      action: { order: { agentImage: { image: { url: 'http://images/other.iso' } } } },
    });
  });
});

test('a host whose images are not built gets none', () => {
  const step = nextStep(aHost({ state: 'registering' }), NOW);
  expect(step.kind === 'act' && step.action).not.toHaveProperty('order.agentImage');
});
