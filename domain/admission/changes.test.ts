import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bareMetalHostSpec } from '../../api/baremetalhost/spec.ts';
import type { BareMetalHost } from '../../api/baremetalhost/types.ts';
import { structural } from '../../api/structural.ts';
import { admittedHost, bmc, type Change, MAC, refusal, rules, schemas } from '../../test/builders/admission.ts';
import { arbitraryOf } from '../../test/builders/arbitrary.ts';
import { refusalMessage } from './refusal.ts';
import { problemsOf } from './rules.ts';

describe('a change of a host', () => {
  const moved = { spec: bmc('redfish://10.0.0.2') };
  const MOVED =
    'BMC address can not be changed if the BMH is not in the Registering state, or if the BMH is not detached';
  const external = { spec: { externallyProvisioned: true } };
  const withMac = (bootMACAddress?: string): Change => ({
    spec: bootMACAddress === undefined ? {} : { bootMACAddress },
  });

  test.each<[string, Change, Change, string | undefined]>([
    ['moves it to another BMC', {}, moved, MOVED],
    ['takes its BMC away', {}, { spec: bmc('') }, MOVED],
    ['gives it a BMC', { spec: bmc('') }, {}, undefined],
    ['moves it while it registers', { state: 'registering' }, { ...moved, state: 'registering' }, undefined],
    ['moves it while it is detached', { detached: true }, { ...moved, detached: true }, undefined],
    [
      'gives it another MAC address',
      withMac(MAC),
      withMac('52:54:00:00:00:02'),
      'bootMACAddress can not be changed once it is set',
    ],
    ['takes its MAC address away', withMac(MAC), withMac(), 'bootMACAddress can not be changed once it is set'],
    ['gives it a MAC address', withMac(), withMac(MAC), undefined],
    ['writes its MAC address in capitals', withMac('aa:bb:cc:dd:ee:ff'), withMac('AA:BB:CC:DD:EE:FF'), undefined],
    ['says that something else installed it', { state: 'available' }, { ...external, state: 'available' }, undefined],
    ['says that something else did not install it', external, {}, undefined],
    [
      'says too early that something else installed it',
      { state: 'inspecting' },
      { ...external, state: 'inspecting' },
      'externallyProvisioned can only be enabled when in Available state, currently in inspecting',
    ],
    [
      'breaks a rule for new hosts',
      {},
      { spec: { firmware: {} } },
      'the Firmware field is no longer supported, use HostFirmwareSettings resource instead',
    ],
    [
      'breaks a rule by an annotation',
      {},
      { annotations: { 'inspect.metal3.io': 'x' } },
      'invalid value for the inspect.metal3.io annotation, allowed are "disabled" or ""',
    ],
  ])('that %s', (_, before, after, expected) => {
    expect(refusal(admittedHost(after), admittedHost(before))).toBe(expected);
  });

  test('is not judged when it leaves spec and annotations of a host that breaks rules as they are', () => {
    const broken = admittedHost({ spec: { firmware: {} } });
    const held = { ...broken, metadata: { ...broken.metadata, finalizers: ['baremetalhost.metal3.io'] } };
    expect(refusal(held, broken)).toBeUndefined();
  });

  test('is not judged by its annotations once the host is being deleted', () => {
    const broken = { spec: { firmware: {} }, deleting: true };
    expect(
      refusal(admittedHost(broken), admittedHost({ ...broken, annotations: { 'reboot.metal3.io': '' } })),
    ).toBeUndefined();
  });
});

describe('whatever the schema lets through', () => {
  test('is judged without an exception, before and after', () => {
    const texts = {
      address: fc.oneof(fc.constantFrom('ipmi://h', 'redfish+http://[::1]:8/x', 'foo:x', 'h:1'), fc.string()),
      url: fc.oneof(fc.constantFrom('http://a/b', 'oci://x'), fc.string()),
    };
    const anyText = fc.oneof(
      fc.json(),
      fc.string(),
      fc.constant(''),
      arbitraryOf(schemas.status).map((it) => JSON.stringify(it)),
    );
    const keys = [
      'baremetalhost.metal3.io/status',
      'reboot.metal3.io',
      'inspect.metal3.io',
      'inspect.metal3.io/hardwaredetails',
    ];
    const hosts = fc
      .record({
        annotations: fc.dictionary(fc.constantFrom(...keys), anyText),
        spec: arbitraryOf(structural(bareMetalHostSpec), texts),
        status: fc.option(arbitraryOf(schemas.status), { nil: undefined }),
      })
      .map(
        ({ annotations, ...rest }) =>
          ({ metadata: { name: 'node-1', namespace: 'metal', annotations }, ...rest }) as BareMetalHost,
      );
    fc.assert(
      fc.property(hosts, hosts, (before, after) => {
        const problems = problemsOf(rules, before, after);
        expect(problems.filter((problem) => refusalMessage([problem])?.trim() === '')).toEqual([]);
      }),
    );
  });
});
