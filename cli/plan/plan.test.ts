import { describe, expect, test } from 'vitest';
import { endless } from '../../domain/host/plan/plan.ts';
import { applied, differences, type PlannedManifest } from './applied.ts';
import { hostLines, planFor } from './host.ts';
import { planLines } from './render.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const image = (name: string) => ({
  url: `http://user:secret@images/${name}?sig=secret`,
  checksum: 'abc',
  checksumType: 'md5',
});
const manifest = (spec: object): PlannedManifest => ({
  apiVersion: 'metal3.io/v1alpha1',
  kind: 'BareMetalHost',
  metadata: { name: 'node-1' },
  spec: {
    online: true,
    bootMACAddress: '52:54:00:00:00:01',
    bmc: { address: 'redfish-virtualmedia://10.0.0.7/1', credentialsName: 'node-1-bmc' },
    ...spec,
  },
});
/** A host that runs the image of its manifest, which was applied. */
const running = (wanted: PlannedManifest): object => {
  const fresh = applied(undefined, wanted, 'metal') as {
    readonly metadata: object;
    readonly spec: { readonly image: object };
  };
  return {
    ...fresh,
    metadata: {
      ...fresh.metadata,
      finalizers: ['baremetalhost.metal3.io'],
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(wanted) },
    },
    spec: { ...fresh.spec, consumerRef: { kind: 'Other', name: 'x' } },
    status: {
      operationalStatus: 'OK',
      errorMessage: '',
      poweredOn: true,
      lastUpdated: '2026-01-01T11:00:00Z',
      hardwareProfile: 'unknown',
      provisioning: {
        state: 'provisioned',
        ID: 'n',
        image: fresh.spec.image,
        rootDeviceHints: { deviceName: '/dev/sda' },
      },
    },
  };
};
const raid = (volume: object): object => ({ raid: { softwareRAIDVolumes: [volume] } });
const lines = (live: unknown, wanted: unknown, deleting = false): readonly string[] =>
  hostLines(planFor('metal/node-1', live, wanted, deleting, NOW));

describe('the plan of a host', () => {
  test.each([
    ['the BMC', 'node-1-bmc', 'waiting for a change', 'the credentials of the BMC'],
    ['its network', 'net', 'waiting to try again', 'the network data of the deploy agent'],
  ])('without the Secret of %s ends at its registration', (_, missing, waits, content) => {
    const host = applied(undefined, manifest({ image: image('a'), preprovisioningNetworkDataName: 'net' }), 'metal');
    expect(hostLines(planFor('metal/node-1', host, host, false, NOW, [missing]))).toEqual([
      'BareMetalHost metal/node-1',
      '  1. registering: register with Ironic, and verify the BMC',
      `  then it is registering (${waits} after registration error: the Secret metal/${missing} with ${content} does not exist)`,
    ]);
  });
});

describe('a plan that has no end', () => {
  const step = (does: string) => ({ state: 'available' as const, does });
  test.each([
    [[step('a'), step('b'), step('b'), step('b'), step('b')], 2],
    [[step('a'), step('b'), step('a'), step('b')], 2],
  ])('has one of its equal steps', (steps, count) => {
    expect(endless(steps).steps).toHaveLength(count);
  });
  test('names the step with which it begins again', () => {
    expect(planLines(endless([step('a'), step('b'), step('b')]))).toEqual([
      '1. available: a',
      '2. available: b',
      'then it begins with step 2 again: it cannot reach its desired state',
    ]);
    expect(planLines(endless([step('b'), step('b')])).at(-1)).toBe(
      'then these steps begin again: it cannot reach its desired state',
    );
  });
});

describe('the plan for a manifest', () => {
  test('does not tell the copy of the manifest that kubectl keeps in an annotation', () => {
    const live = running(manifest({ image: image('a') })) as { readonly metadata: { readonly annotations: object } };
    const read = { ...live, metadata: { ...live.metadata, annotations: {} } };
    expect(lines(live, read).join()).not.toContain('last-applied-configuration');
  });

  test('of a new host that was read from another cluster does not count what that one shows', () => {
    const wanted = manifest({ image: image('a') });
    const { status, metadata } = running(wanted) as Pick<PlannedManifest, 'metadata'> & { readonly status: object };
    const exported = {
      ...wanted,
      status,
      metadata: { ...metadata, uid: 'u', resourceVersion: '7', deletionTimestamp: '2026-01-01T00:00:00Z' },
    };
    expect(lines(undefined, applied(undefined, exported, 'metal'))).toEqual(
      lines(undefined, applied(undefined, wanted, 'metal')),
    );
  });

  test('of a new host names each step, and what it erases', () => {
    expect(lines(undefined, applied(undefined, manifest({ image: image('a') }), 'metal'))).toEqual([
      'BareMetalHost metal/node-1 (new)',
      '  1. registering: register with Ironic, and verify the BMC',
      '  2. inspecting: boot the deploy agent, and inspect the hardware',
      '  3. provisioning: clean the disks  ERASES the partition tables of all disks',
      '  4. provisioning: write http://images/a to the disk with deviceName /dev/sda, and boot it  ERASES the disk with deviceName /dev/sda',
      '  then it is provisioned and powered on (provisioned as desired)',
    ]);
  });

  test('of a live host compares, and shows no secret of a URL', () => {
    const live = running(manifest({ image: image('a') }));
    const shown = lines(live, applied(live, manifest({ image: image('b') }), 'metal'));
    expect(shown).toEqual([
      'BareMetalHost metal/node-1',
      '  spec.image.url: http://***@images/a?*** -> http://***@images/b?***',
      '  1. deprovisioning: remove http://images/a',
      '  2. deprovisioning: clean the disks  ERASES the partition tables of all disks',
      '  3. provisioning: write http://images/b to the disk with deviceName /dev/sda, and boot it  ERASES the disk with deviceName /dev/sda',
      '  then it is provisioned and powered on (provisioned as desired)',
    ]);
  });

  test('takes null for what it removes', () => {
    const live = running(manifest({ image: image('a') }));
    const shown = lines(live, applied(live, manifest({ image: null }), 'metal')).join('\n');
    expect(shown).toMatch(/spec\.image: \{.*\} -> none[^]*ERASES the partition tables of all disks/);
  });

  test('that changes nothing does nothing', () => {
    const wanted = manifest({ image: image('a') });
    const live = running(wanted);
    expect(lines(live, applied(live, wanted, 'metal'))).toEqual([
      'BareMetalHost metal/node-1',
      '  nothing to do: it stays provisioned and powered on (provisioned as desired)',
    ]);
  });

  test.each([
    ['a field', { automatedCleaningMode: 'metadata' }, {}],
    ['a field of a list', raid({ level: '1', rootVolume: false }), raid({ level: '1' })],
  ])('that no longer names %s with its default changes nothing', (_, before, after) => {
    const live = running(manifest({ image: image('a'), ...before }));
    const shown = lines(live, applied(live, manifest({ image: image('a'), ...after }), 'metal'));
    expect(shown.filter((line) => line.includes(' -> '))).toEqual([]);
  });

  test('that no longer names a field with another value than its default sets it to that', () => {
    const live = running(manifest({ image: image('a'), automatedCleaningMode: 'disabled' }));
    expect(lines(live, applied(live, manifest({ image: image('a') }), 'metal'))).toContain(
      '  spec.automatedCleaningMode: disabled -> metadata',
    );
  });

  test('of a host that is deleted ends with its end', () => {
    const live = running(manifest({ image: image('a') }));
    expect(lines(live, live, true).at(-1)).toBe('  then it is gone');
  });

  test('tells what would be refused instead of a plan', () => {
    const live = running(manifest({ image: image('a') }));
    expect(lines(live, applied(live, manifest({ bootMACAddress: '52:54:00:00:00:02' }), 'metal')).at(-1)).toBe(
      '  cannot be planned: the API server would refuse it: bootMACAddress can not be changed once it is set',
    );
    expect(lines(undefined, applied(undefined, manifest({ bootMode: 'BIOS' }), 'metal')).at(-1)).toMatch(
      /^ {2}cannot be planned: spec\.bootMode: /,
    );
  });
});

describe('a manifest that is applied', () => {
  test('removes what the last one had, and keeps what others have set', () => {
    const live = running(manifest({ image: image('a') }));
    expect(applied(live, manifest({}), 'metal')['spec']).toEqual({
      ...(manifest({})['spec'] as object),
      consumerRef: { kind: 'Other', name: 'x' },
    });
  });

  test('differs field by field, and lists as a whole', () => {
    expect(differences({ a: { b: 1, c: [1] }, d: 1 }, { a: { b: 1, c: [2] }, e: 2 })).toEqual([
      { field: 'a.c', before: [1], after: [2] },
      { field: 'd', before: 1 },
      { field: 'e', after: 2 },
    ]);
  });
});
