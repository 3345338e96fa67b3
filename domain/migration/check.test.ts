import { describe, expect, test } from 'vitest';
import { check } from './check.ts';
import type { HostSeen, KindSeen, MigrationSurvey, ObjectSeen, WebhookSeen } from './survey.ts';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const EMPTY: MigrationSurvey = { leases: [], deployments: [], webhooks: [], kinds: [] };

const anObject = (more: Partial<ObjectSeen> = {}): ObjectSeen => ({
  namespace: 'metal',
  name: 'host-1',
  isDeleting: false,
  annotations: [],
  finalizers: [],
  conditions: [],
  managed: [],
  asks: true,
  ...more,
});
const aHost = (host: Partial<HostSeen> = {}, more: Partial<ObjectSeen> = {}): ObjectSeen =>
  anObject({ ...more, host: { state: 'provisioned', operationalStatus: 'OK', bmcAddress: '', problems: [], ...host } });
const ofKind = (more: Partial<KindSeen>): MigrationSurvey => ({
  ...EMPTY,
  kinds: [
    {
      crd: 'baremetalhosts.metal3.io',
      kind: 'BareMetalHost',
      version: 'v1alpha1',
      served: ['v1alpha1'],
      objects: [],
      ...more,
    },
  ],
});
const hosts = (...objects: readonly ObjectSeen[]): MigrationSurvey => ofKind({ objects });
const firmware = (plural: string, kind: string, asks = true): MigrationSurvey => ({
  ...EMPTY,
  kinds: [{ crd: `${plural}.metal3.io`, kind, served: ['v1alpha1'], objects: [anObject({ asks })] }],
});
const aWebhook = (more: Partial<WebhookSeen> = {}): WebhookSeen => ({
  kind: 'ValidatingWebhookConfiguration',
  name: 'baremetal-operator-validating-webhook-configuration',
  resources: ['baremetalhosts.metal3.io'],
  server: 'Service baremetal-operator-system/baremetal-operator-webhook-service',
  namespace: 'baremetal-operator-system',
  isServed: false,
  isTempers: false,
  isRequired: true,
  ...more,
});

/** Rule and object of each finding; `!` for those that hinder. */
const found = (survey: Partial<MigrationSurvey>): readonly string[] =>
  check({ ...EMPTY, ...survey }, NOW).map(({ rule, hinders, on }) => `${hinders ? '!' : ''}${rule} ${on.join(' ')}`);

test('nothing is found where there is nothing', () => {
  expect(found(hosts(aHost({}, { finalizers: ['baremetalhost.metal3.io'], conditions: ['Ready'] })))).toEqual([]);
});

describe('a webhook', () => {
  test('without a server hinders, and is removed by its name', () => {
    expect(check({ ...EMPTY, webhooks: [aWebhook()] }, NOW)).toEqual([
      {
        rule: 'webhook-without-server',
        hinders: true,
        on: ['ValidatingWebhookConfiguration baremetal-operator-validating-webhook-configuration'],
        what: 'refuses every write of baremetalhosts.metal3.io: Service baremetal-operator-system/baremetal-operator-webhook-service has no server',
        next: 'kubectl delete validatingwebhookconfiguration baremetal-operator-validating-webhook-configuration',
      },
    ]);
  });

  test.each<[string, Partial<WebhookSeen>, readonly string[]]>([
    ['that may fail', { isRequired: false }, ['webhook-without-server']],
    ['whose operator is there', { isServed: true }, ['!webhook-of-another']],
    ['of another program', { isServed: true, namespace: 'kyverno' }, ['webhook-of-another']],
    ['of another program, without a server', { namespace: 'kyverno' }, ['!webhook-without-server']],
    ['of Temper', { isTempers: true, isServed: true }, []],
    ['that converts, without a server', { kind: 'CustomResourceDefinition' }, ['conversion-without-server']],
    ['that converts', { kind: 'CustomResourceDefinition', isServed: true }, []],
  ])('%s', (_, more, rules) => {
    const images = ['quay.io/metal3-io/baremetal-operator:v0.12'];
    const deployments = [{ namespace: 'baremetal-operator-system', name: 'operator', images, replicas: 0 }];
    expect(found({ webhooks: [aWebhook(more)], deployments }).map((each) => each.split(' ')[0])).toEqual(rules);
  });
});

describe('another operator', () => {
  const deployment = { namespace: 'baremetal-operator-system', name: 'baremetal-operator-controller-manager' };
  const image = 'registry.example.com:5000/metal3-io/baremetal-operator:v0.12@sha256:abc';

  test('has a Deployment with its image, in any registry', () => {
    expect(found({ deployments: [{ ...deployment, images: [image], replicas: 1 }] })).toEqual([
      '!other-operator Deployment baremetal-operator-system/baremetal-operator-controller-manager',
    ]);
  });

  test('without Pods, or with another image, does not count', () => {
    const stopped = { ...deployment, images: [image], replicas: 0 };
    const other = { ...deployment, images: ['quay.io/metal3-io/baremetal-operator-bundle'], replicas: 1 };
    expect(found({ deployments: [stopped, other] })).toEqual([]);
  });

  test('holds a Lease', () => {
    const lease = {
      namespace: 'elsewhere',
      name: 'controller-leader-election-capm3',
      holder: 'pod_1',
      renewedAt: NOW - 1_000,
      durationMs: 15_000,
      isTempers: false,
    };
    expect(found({ leases: [lease, { ...lease, renewedAt: NOW - 60_000 }] })).toEqual([
      '!other-operator Lease elsewhere/controller-leader-election-capm3',
    ]);
  });

  test('has written a status; objects with the same finding share a row', () => {
    const managed = [{ manager: 'baremetal-operator', subresource: 'status', time: '2026-11-29T11:59:00Z' }];
    const old = [{ ...managed[0], time: '2026-11-29T11:00:00Z' }] as typeof managed;
    const written = [
      aHost({}, { name: 'a', managed }),
      aHost({}, { name: 'b', managed: old }),
      aHost({}, { name: 'c', managed }),
    ];
    expect(found(hosts(...written))).toEqual(['!other-operator BareMetalHost metal/a BareMetalHost metal/c']);
    const pools = { crd: 'ippools.ipam.metal3.io', kind: 'IPPool', version: 'v1alpha1', served: ['v1alpha1'] };
    expect(found(ofKind({ ...pools, objects: [anObject({ managed })] }))).toEqual([]);
  });
});

describe('a host', () => {
  test.each<[string, Partial<HostSeen>, Partial<ObjectSeen>, readonly string[]]>([
    ['at rest', { bmcAddress: 'redfish://10.0.0.1/redfish/v1/Systems/1' }, {}, []],
    ['without a status', { state: '', operationalStatus: '' }, {}, []],
    ['that cannot be read', { problems: ['spec.online: expected boolean'] }, {}, ['!host-unreadable']],
    ['in an unknown state', { state: 'rebuilding' }, {}, ['!host-state']],
    ['that is serviced', { operationalStatus: 'servicing' }, {}, ['!host-state']],
    ['with an unknown BMC', { bmcAddress: 'acme://10.0.0.1' }, {}, ['!host-bmc']],
    ['at work', { state: 'provisioning' }, {}, ['host-busy']],
    ['in a state that its operator leaves at once', { state: 'match profile' }, {}, ['host-busy']],
    ['that is deleted', {}, { isDeleting: true }, ['host-busy']],
  ])('%s', (_, host, object, rules) => {
    expect(found(hosts(aHost(host, object))).map((each) => each.split(' ')[0])).toEqual(rules);
  });
});

describe('a kind', () => {
  const CLUSTERS = { crd: 'clusters.cluster.x-k8s.io', kind: 'Cluster', version: 'v1beta2' };
  const MACHINES = { crd: 'metal3machines.infrastructure.cluster.x-k8s.io', kind: 'Metal3Machine', version: 'v1beta2' };

  test.each<[string, Partial<KindSeen>, readonly string[]]>([
    ['of Metal3 that is missing comes with Temper', { ...MACHINES, served: [] }, ['kind-missing']],
    ['of Metal3 in another version is replaced', { ...MACHINES, served: ['v1beta1'] }, ['kind-version']],
    ['of Cluster API that is missing', { ...CLUSTERS, served: [] }, ['kind-missing']],
    ['of Cluster API in an older version hinders', { ...CLUSTERS, served: ['v1beta1'] }, ['!kind-version']],
    ['in both versions', { ...CLUSTERS, served: ['v1beta1', 'v1beta2'] }, []],
  ])('%s', (_, kind, rules) => {
    expect(found(ofKind(kind)).map((each) => each.split(' ')[0])).toEqual(rules);
  });

  test.each<[string, MigrationSurvey, readonly string[]]>([
    [
      'with BIOS settings that are asked for',
      firmware('hostfirmwaresettings', 'HostFirmwareSettings'),
      ['!kind-not-served'],
    ],
    [
      'with BIOS settings as they are',
      firmware('hostfirmwaresettings', 'HostFirmwareSettings', false),
      ['kind-not-served'],
    ],
    [
      'with firmware that is asked for',
      firmware('hostfirmwarecomponents', 'HostFirmwareComponents'),
      ['!kind-not-served'],
    ],
    ['with subscriptions', firmware('bmceventsubscriptions', 'BMCEventSubscription'), ['!kind-not-served']],
    ['with claims for hosts', firmware('hostclaims', 'HostClaim'), ['!kind-not-served']],
    ['with policies for updates', firmware('hostupdatepolicies', 'HostUpdatePolicy'), ['kind-not-served']],
  ])('that Temper does not have, %s', (_, survey, rules) => {
    expect(found(survey).map((each) => each.split(' ')[0])).toEqual(rules);
  });
});

describe('what nobody removes', () => {
  test.each<[string, Partial<ObjectSeen>, readonly string[]]>([
    ['is a finalizer of Metal3', { finalizers: ['metal3.io/hostclaim'] }, ['!finalizer-left']],
    ['is no finalizer of other projects', { finalizers: ['foregroundDeletion', 'example.com/inventory'] }, []],
    ['is an annotation of Metal3', { annotations: ['future.metal3.io/wish'] }, ['annotation-left']],
    [
      'is no annotation that Temper knows',
      {
        annotations: [
          'baremetalhost.metal3.io/paused',
          'capm3.metal3.io/unhealthy',
          'reboot.metal3.io',
          'reboot.metal3.io/metal3-remediation-1',
          'clusterctl.cluster.x-k8s.io/block-move',
          'example.com/rack',
        ],
      },
      [],
    ],
    ['is an annotation that keeps the host off', { annotations: ['reboot.metal3.io/fence'] }, ['annotation-left']],
    ['is a condition of others', { conditions: ['Ready', 'Serviced'] }, ['condition-left']],
  ])('%s', (_, object, rules) => {
    expect(found(hosts(aHost({}, object))).map((each) => each.split(' ')[0])).toEqual(rules);
  });
});

test('what hinders comes first', () => {
  const survey = hosts(aHost({ state: 'provisioning' }), aHost({ state: 'rebuilding' }, { name: 'host-2' }));
  expect(found(survey)).toEqual(['!host-state BareMetalHost metal/host-2', 'host-busy BareMetalHost metal/host-1']);
});
