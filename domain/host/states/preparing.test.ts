import { describe, expect, test } from 'vitest';
import { aHost, NOW } from '../../../test/builders/host.ts';
import { nextStep } from '../machine.ts';

describe('a preparing host', () => {
  test('becomes available with the root device hints it is to use', () => {
    const hints = { serialNumber: 'SN1' };
    const step = nextStep(aHost({ state: 'preparing', seen: { spec: { rootDeviceHints: hints } } }), NOW);
    expect(step).toMatchObject({
      kind: 'become',
      state: 'available',
      memory: { status: { provisioning: { rootDeviceHints: hints }, errorCount: 0 } },
    });
  });
});

describe('a preparing host that asks for RAID', () => {
  test('says that it is not done, instead of going on without it', () => {
    const raid = { softwareRAIDVolumes: [{ level: '1' as const, rootVolume: false }] };
    const step = nextStep(aHost({ state: 'preparing', seen: { spec: { raid } } }), NOW);
    expect(step).toMatchObject({
      kind: 'note',
      memory: { retry: { kind: 'on change' }, status: { errorType: 'preparation error' } },
    });
  });
});
