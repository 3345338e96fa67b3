import { describe, expect, test } from 'vitest';
import { withoutFields } from './patches.ts';

const PATCH = {
  operationalStatus: 'forged',
  errorMessage: null,
  provisioning: { state: 'provisioned', image: { format: 'raw' }, raid: { softwareRAIDVolumes: [{ level: '9' }] } },
};

describe('a status', () => {
  test.each<[string, object]>([
    ['status.operationalStatus', { errorMessage: null, provisioning: PATCH.provisioning }],
    ['status.errorMessage', { operationalStatus: 'forged', provisioning: PATCH.provisioning }],
    [
      'status.provisioning.raid.softwareRAIDVolumes[0].level',
      { ...PATCH, provisioning: { ...PATCH.provisioning, raid: {} } },
    ],
    // It is missing, so the image can't be shown.
    [
      'status.provisioning.image.url',
      { ...PATCH, provisioning: { state: 'provisioned', raid: PATCH.provisioning.raid } },
    ],
  ])('without %s has everything else', (field, rest) => {
    expect(withoutFields(PATCH, [field])).toEqual(rest);
  });

  test.each(['status.poweredOn', 'status.toString', 'spec.operationalStatus', 'metadata.finalizers', 'status'])(
    'without %s, which it does not have, is the same',
    (field) => {
      expect(withoutFields(PATCH, [field])).toBe(PATCH);
    },
  );
});
