import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { AuditedRequest } from '../../lab/control-plane/audit.ts';
import type { Manifest } from '../../lab/control-plane/manifest.ts';
import { compare, type Unseen } from './compare.ts';
import { granted, grantsIn } from './granted.ts';
import { UNSEEN } from './unseen.ts';

const ROLES = `
kind: ClusterRole
metadata: {name: everywhere}
rules:
  - {apiGroups: [''], resources: [secrets], verbs: [get, patch]}
  - {apiGroups: [metal3.io], resources: [baremetalhosts/status], verbs: [patch]}
---
kind: ClusterRoleBinding
metadata: {name: everywhere}
roleRef: {kind: ClusterRole, name: everywhere}
subjects: [{kind: ServiceAccount, name: temper-bridge}]
---
kind: Role
metadata: {name: at-home, namespace: temper-system}
rules:
  - {apiGroups: [''], resources: [secrets], resourceNames: [certificate], verbs: [get]}
---
kind: RoleBinding
metadata: {name: at-home, namespace: temper-system}
roleRef: {kind: Role, name: at-home}
subjects: [{kind: ServiceAccount, name: temper-bridge}]
`;
const GRANTS = grantsIn(parseAllDocuments(ROLES).map((one) => one.toJS() as Manifest));

const request = (change: Partial<AuditedRequest>): AuditedRequest => ({
  user: 'system:serviceaccount:temper-system:temper-bridge',
  verb: 'get',
  path: '/api/v1/x',
  time: '',
  group: '',
  resource: 'secrets',
  namespace: 'a',
  name: 'bmc',
  code: 200,
  isForbidden: false,
  ...change,
});
const ALL = [
  request({}),
  request({ verb: 'patch' }),
  request({ verb: 'patch', group: 'metal3.io', resource: 'baremetalhosts/status', name: 'one' }),
  request({ namespace: 'temper-system', name: 'certificate' }),
];
const differences = (requests: readonly AuditedRequest[], unseen: readonly Unseen[] = []): readonly string[] => {
  const comparison = compare(GRANTS, unseen);
  for (const one of requests) comparison.add(one);
  return comparison.differences();
};
const without = (index: number): readonly AuditedRequest[] => ALL.filter((_, at) => at !== index);

describe('roles and requests', () => {
  test('agree when each right was used', () => {
    expect(differences(ALL)).toEqual([]);
  });

  test('differ by a right that nobody used', () => {
    const message =
      'temper-bridge: patch baremetalhosts/status of metal3.io: everywhere allows it, and no test needs it';
    expect(differences(without(2))).toEqual([message]);
    const why = 'a reason';
    const exception = {
      account: 'temper-bridge',
      verb: 'patch',
      resource: 'baremetalhosts/status',
      group: 'metal3.io',
      why,
    };
    expect(differences(without(2), [exception])).toEqual([]);
  });

  test('do not differ by a rare request, whether a test needed it or not', () => {
    const resource = 'baremetalhosts/status';
    const rare = { account: 'temper-bridge', verb: 'patch', resource, group: 'metal3.io', why: 'a race' };
    expect(differences(without(2), [{ ...rare, isRare: true }])).toEqual([]);
    expect(differences(ALL, [{ ...rare, isRare: true }])).toEqual([]);
  });

  test('differ by an exception that is none', () => {
    const exception = { account: 'temper-bridge', verb: 'patch', resource: 'secrets', group: '', why: 'a reason' };
    expect(differences(ALL, [exception])).toEqual([
      'temper-bridge: patch secrets: is needed by a test, or allowed by no role, so it is no exception',
    ]);
  });

  test('differ by a right for all Secrets when one was read that a narrower right allows', () => {
    expect(differences(without(0))).toEqual(['temper-bridge: get secrets: everywhere allows it, and no test needs it']);
    expect(differences(without(3))).toEqual(['temper-bridge: get secrets: at-home allows it, and no test needs it']);
  });

  test('differ by a request that RBAC refused', () => {
    const refused = request({ verb: 'list', isForbidden: true, code: 403, path: '/api/v1/namespaces/a/secrets' });
    expect(differences([...ALL, refused, refused])).toEqual([
      'temper-bridge: list secrets: no role allows it (/api/v1/namespaces/a/secrets)',
    ]);
  });

  test('do not differ by a request that is allowed, and came before the API server had read the roles', () => {
    expect(differences([...ALL, request({ isForbidden: true, code: 403 })])).toEqual([]);
  });

  describe('at night', () => {
    const refused = request({ verb: 'list', isForbidden: true, code: 403, path: '/api/v1/namespaces/a/secrets' });
    const words = 'temper-bridge: list secrets: no role allows it (/api/v1/namespaces/a/secrets)';

    test('differ by a refused request, and by no right that these tests do not need', () => {
      const comparison = compare(GRANTS, []);
      comparison.add(refused);
      expect(comparison.refusals()).toEqual([words]);
    });

    test('differ, when the night is whole, by a right that is given for one of its tests and that none needs', () => {
      const patch = { account: 'temper-bridge', verb: 'patch', resource: 'secrets', group: '', why: 'at night' };
      const comparison = compare(GRANTS, [
        { ...patch, isOfNight: true },
        { ...patch, verb: 'get' },
      ]);
      expect(comparison.unusedAtNight()).toEqual([
        'temper-bridge: patch secrets: is given for a test of the night, and no test needs it',
      ]);
      comparison.add(request({ verb: 'patch' }));
      expect(comparison.unusedAtNight()).toEqual([]);
    });
  });

  test('are compared for our accounts only, also under the names that clusterctl gives them', () => {
    const user = 'system:serviceaccount:capm3-system:capm3-manager';
    expect(differences([...without(1), request({ verb: 'patch', user })])).toEqual([]);
    const stranger = 'system:serviceaccount:temper-system:audited';
    expect(differences([...ALL, request({ user: stranger, isForbidden: true })])).toEqual([]);
  });
});

test('the roles of an installation give rights to bridge and workers, and each exception is one of them', () => {
  const grants = granted();
  expect(new Set(grants.map(({ account }) => account))).toEqual(new Set(['temper-bridge', 'temper-workers']));
  for (const { why: _, isRare: _rare, isOfNight: _night, ...exception } of UNSEEN)
    expect(grants).toContainEqual(expect.objectContaining(exception));
});
