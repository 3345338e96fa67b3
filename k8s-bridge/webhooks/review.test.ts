import { describe, expect, test } from 'vitest';
import { admittedKinds } from './kinds.ts';
import { answerReview } from './review.ts';

const IPAM = 'ipam.metal3.io/v1alpha1';
const pools = admittedKinds({ fakeHardware: false }).find(({ kind }) => kind === 'IPPool');

interface Change {
  readonly spec?: object;
  readonly metadata?: object;
}
const BEFORE = {
  apiVersion: IPAM,
  kind: 'IPPool',
  metadata: { name: 'lan', namespace: 'metal' },
  spec: {
    namePrefix: 'p',
    allocationStrategy: 'sequential',
    pools: [{ start: '10.0.0.1', end: '10.0.0.9', prefix: 24, gateway: '10.0.0.254' }],
    prefix: 24,
    gateway: '10.0.0.254',
    dnsServers: ['10.0.0.53'],
  },
  status: { indexes: { a: '10.0.0.5' } },
};

/** The words of the refusal; undefined: the change is accepted. */
function refusalOf({ spec = {}, metadata = {} }: Change, before: typeof BEFORE = BEFORE): string | undefined {
  const object = {
    ...before,
    spec: { ...before.spec, ...spec },
    metadata: { ...before.metadata, ...metadata },
  };
  const request = { uid: 'u1', operation: 'UPDATE', oldObject: before, object };
  if (pools === undefined) return 'IPPools have no webhook';
  const { answer } = answerReview(pools, { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
  return (answer as { readonly response: { readonly status?: { readonly message: string } } }).response.status?.message;
}

describe('a change of an IPPool', () => {
  test.each<[string, object]>([
    ['its prefix length', { prefix: 25 }],
    ['its gateway', { gateway: '10.0.0.253' }],
    ['its name servers', { dnsServers: ['10.0.0.52', '10.0.0.51'] }],
    ['its preallocations', { preAllocations: { b: '10.0.0.6' } }],
    ['what an entry says', { pools: [{ start: '10.0.0.1', end: '10.0.0.9', prefix: 25, gateway: '10.0.0.253' }] }],
    ['a larger range', { pools: [{ start: '10.0.0.1', end: '10.0.0.99' }] }],
    ['a smaller range with what is in use', { pools: [{ start: '10.0.0.5', end: '10.0.0.5' }] }],
  ])('is accepted: %s', (_, spec) => {
    expect(refusalOf({ spec })).toBeUndefined();
  });

  const PREFIX = 'IPPool.ipam.metal3.io "lan" is invalid: ';
  test.each<[string, object, string]>([
    [
      'a range without what is in use',
      { pools: [{ start: '10.0.0.6', end: '10.0.0.9' }] },
      'spec.pools: Invalid value: "10.0.0.5": is in use but out of bounds of the pools given',
    ],
    [
      'a gateway that is no address',
      { gateway: '10.0.0' },
      'spec.gateway: Invalid value: "10.0.0": is not a valid IP address',
    ],
    ['the prefix of names', { namePrefix: 'q' }, 'spec.namePrefix: Invalid value: "q": cannot be modified'],
  ])('is refused: %s', (_, spec, problem) => {
    expect(refusalOf({ spec })).toBe(`${PREFIX}${problem}`);
  });

  test('is not judged when spec and annotations stay: its finalizer can be removed although it breaks a rule', () => {
    const broken = { ...BEFORE, status: { indexes: { a: '10.9.9.9' } } };
    expect(refusalOf({ metadata: { finalizers: [] } }, broken)).toBeUndefined();
    expect(refusalOf({ metadata: { annotations: { a: 'b' } } }, broken)).toContain('"10.9.9.9": is in use');
  });
});
