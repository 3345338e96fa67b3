import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bareMetalHostSpec } from '../../api/baremetalhost/spec.ts';
import { bareMetalHostStatus } from '../../api/baremetalhost/status.ts';
import { structural } from '../../api/structural.ts';
import { arbitraryOf } from '../../test/builders/arbitrary.ts';
import { aSnapshot } from '../../test/builders/host.ts';
import { hostSnapshot } from './message-shapes.ts';

const RUNS = { numRuns: 50, seed: 10 };
const problemOf = (part: object): string | undefined => hostSnapshot({ ...aSnapshot(), ...part }, 'it');

const STATUS = {
  operationalStatus: 'OK',
  errorMessage: '',
  errorCount: 0,
  provisioningFailCount: 0,
  poweredOn: true,
  provisioning: { state: 'provisioned', ID: 'n', image: { url: '' } },
};
const provisioning = (change: object) => ({ provisioning: { ...STATUS.provisioning, ...change } });

describe('a snapshot of a host', () => {
  test.each([
    ['status', bareMetalHostStatus],
    ['spec', bareMetalHostSpec],
  ] as const)('is accepted with any %s that the API server accepts', (field, schema) => {
    fc.assert(
      fc.property(arbitraryOf(structural(schema)), (value) => {
        expect(problemOf({ [field]: schema.parse(value) })).toBeUndefined();
      }),
      RUNS,
    );
  });

  test.each<[string, object]>([
    ['operationalStatus', { operationalStatus: 'forged' }],
    ['errorType', { errorType: 'forged' }],
    ['errorMessage', { errorMessage: 5 }],
    ['errorCount', { errorCount: 'many' }],
    ['poweredOn', { poweredOn: 'yes' }],
    ['lastAttemptedImage', { lastAttemptedImage: { url: 'x', format: 'forged' } }],
    ['provisioning.state', provisioning({ state: 5 })],
    ['provisioning.bootMode', provisioning({ bootMode: 'forged' })],
    ['provisioning.image', provisioning({ image: { url: 5 } })],
    ['provisioning.raid', provisioning({ raid: { hardwareRAIDVolumes: [{ level: '9' }] } })],
    ['goodCredentials', { goodCredentials: { credentials: { name: 5 } } }],
    ['operationHistory', { operationHistory: { provision: { start: 'yesterday', end: null } } }],
  ])('is refused with a status in which the API server refuses %s', (field, change) => {
    expect(problemOf({ status: STATUS })).toBeUndefined();
    expect(problemOf({ status: { ...STATUS, ...change } })).toContain(`it.status.${field}`);
  });

  test.each<[string, object]>([
    ['image', { image: { url: 'x', checksumType: 'forged' } }],
    ['bootMode', { bootMode: 5 }],
    ['customDeploy', { customDeploy: {} }],
    ['rootDeviceHints', { rootDeviceHints: { minSizeGigabytes: -1 } }],
    ['raid', { raid: { softwareRAIDVolumes: 'all' } }],
  ])('is refused with %s in its spec that could not be shown', (field, change) => {
    expect(problemOf({ spec: { ...aSnapshot().spec, ...change } })).toContain(`it.spec.${field}`);
  });
});
