import { describe, expect, test } from 'vitest';
import type { ProvisioningState } from '../../../api/baremetalhost/values.ts';
import { readObject } from '../../../kube/objects/any-object.ts';
import { readHardwareData } from '../../../kube/objects/hardwaredata.ts';
import { shownHardware } from './hardware.ts';

const FOUND = { hostname: 'found' };
const view = (hardwareInspected: boolean, state: ProvisioningState = 'available') => ({ state, hardwareInspected });
const stored = readHardwareData({
  metadata: { name: 'n', namespace: 'm', resourceVersion: '1' },
  spec: { hardware: FOUND },
});
const aCr = (status: object, spec: object = {}, annotations: object = {}) =>
  readObject({
    metadata: { name: 'n', namespace: 'm', uid: 'u', resourceVersion: '1', generation: 1, annotations },
    spec: { online: true, ...spec },
    status,
  });
const told = (details: object | string) => ({
  'inspect.metal3.io/hardwaredetails': typeof details === 'string' ? details : JSON.stringify(details),
});

describe('the hardware a host shows', () => {
  test('follows its HardwareData once it was inspected', () => {
    const host = aCr({ hardware: { hostname: 'old' } });
    expect(shownHardware(host, view(true), stored)).toEqual({ hardware: FOUND, updated: false });
  });

  test('is left alone while an inspection is under way', () => {
    const host = aCr({ hardware: { hostname: 'old' } });
    expect(shownHardware(host, view(false), stored)).toEqual({ hardware: { hostname: 'old' }, updated: false });
  });

  test('is taken from a HardwareData that came before inspection, and that is news', () => {
    expect(shownHardware(aCr({}), view(false), stored)).toEqual({ hardware: FOUND, updated: true });
    expect(shownHardware(aCr({}), view(true, 'registering'), stored)).toEqual({ hardware: FOUND, updated: true });
  });

  test('is not taken from the HardwareData of an inspection that is not over, nor is that news of its own when it is', () => {
    expect(shownHardware(aCr({}), view(false, 'inspecting'), stored)).toEqual({ hardware: undefined, updated: false });
    expect(shownHardware(aCr({}), view(true, 'preparing'), stored)).toEqual({ hardware: FOUND, updated: false });
  });

  test('follows a HardwareData always where inspection is off', () => {
    const host = aCr({ hardware: { hostname: 'old' } }, { inspectionMode: 'disabled' });
    expect(shownHardware(host, view(false), stored)).toEqual({ hardware: FOUND, updated: true });
  });

  test('comes from the annotation where there is no HardwareData', () => {
    const host = aCr({}, { inspectionMode: 'disabled' }, told({ hostname: 'told' }));
    // Go writes these three also without a value.
    const hardware = { hostname: 'told', systemVendor: {}, cpu: {}, firmware: { bios: {} } };
    expect(shownHardware(host, view(false), undefined)).toEqual({ hardware, updated: true });
  });

  test('is not taken from an annotation with an unknown field, and it is said which', () => {
    const host = aCr({}, { inspectionMode: 'disabled' }, told({ hostname: 'told', wheels: 4 }));
    const { hardware, problem } = shownHardware(host, view(false), undefined);
    expect(hardware).toBeUndefined();
    expect(problem).toContain('wheels');
  });

  test('comes back with the status that a moved host brings along', () => {
    const brought = { operationalStatus: 'OK', errorMessage: '', poweredOn: true, hardware: { hostname: 'brought' } };
    const status = {
      ...brought,
      errorCount: 0,
      provisioningFailCount: 0,
      provisioning: { state: 'available', ID: 'i' },
    };
    const annotations = { 'baremetalhost.metal3.io/status': JSON.stringify(status) };
    expect(shownHardware(aCr({}, {}, annotations), view(false), undefined).hardware).toEqual(brought.hardware);
    expect(shownHardware(aCr({}, {}, annotations), view(true, 'registering'), stored).hardware).toEqual(FOUND);
  });

  test('is not taken from an annotation once it is known', () => {
    const host = aCr({ hardware: { hostname: 'old' } }, {}, told({ hostname: 'told' }));
    expect(shownHardware(host, view(false), undefined)).toEqual({ hardware: { hostname: 'old' }, updated: false });
  });

  test('is left alone by an annotation that tells nothing', () => {
    const host = aCr({}, { inspectionMode: 'disabled' }, told(''));
    expect(shownHardware(host, view(false), undefined)).toEqual({ hardware: undefined, updated: false });
  });
});
