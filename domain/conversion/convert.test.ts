import { describe, expect, test } from 'vitest';
import { convertTo } from './convert.ts';
import { type Convertible, Inconvertible } from './parts/convertible.ts';

const GROUP = 'infrastructure.cluster.x-k8s.io';
const metadata = { name: 'test1', namespace: 'metal3', labels: { a: 'b' } };

const v1beta1 = (kind: string, parts: Partial<Convertible>): Convertible => ({
  apiVersion: `${GROUP}/v1beta1`,
  kind,
  metadata,
  ...parts,
});
const v1beta2 = (kind: string, parts: Partial<Convertible>): Convertible => ({
  ...v1beta1(kind, parts),
  apiVersion: `${GROUP}/v1beta2`,
});
const upward = (kind: string, parts: Partial<Convertible>): Convertible =>
  convertTo(`${GROUP}/v1beta2`, v1beta1(kind, parts));
const downward = (kind: string, parts: Partial<Convertible>): Convertible =>
  convertTo(`${GROUP}/v1beta1`, v1beta2(kind, parts));
const newSpec = (kind: string, spec: object): unknown => upward(kind, { spec }).spec;
const oldSpec = (kind: string, spec: object): unknown => downward(kind, { spec }).spec;
const newStatus = (kind: string, status: object): unknown => upward(kind, { status }).status;
const oldStatus = (kind: string, status: object): unknown => downward(kind, { status }).status;

describe('any object', () => {
  test('keeps its metadata', () => {
    expect(upward('Metal3Data', {}).metadata).toEqual(metadata);
  });
  test('stays as it is in its own version', () => {
    const object = v1beta2('Metal3Data', { spec: { index: 1 } });
    expect(convertTo(object.apiVersion, object)).toBe(object);
  });
  test('of an unknown kind or version is refused with a message', () => {
    expect(() => convertTo(`${GROUP}/v1beta2`, v1beta1('Pod', {}))).toThrow(Inconvertible);
    expect(() => convertTo(`${GROUP}/v1alpha5`, v1beta1('Metal3Data', {}))).toThrow(
      `no conversion from ${GROUP}/v1beta1 to ${GROUP}/v1alpha5 for the kind Metal3Data`,
    );
  });
});

describe('the round trip', () => {
  const DATA = 'cluster.x-k8s.io/conversion-data';
  const annotationOf = (object: Convertible): string | undefined => object.metadata?.annotations?.[DATA];
  const KEPT = ['Metal3Cluster', 'Metal3ClusterTemplate', 'Metal3Machine', 'Metal3MachineTemplate'];

  test.each(KEPT)('of a %s keeps the v1beta2 form in an annotation, and takes it off again', (kind) => {
    const spec = kind.endsWith('Template') ? { template: { spec: {} } } : {};
    const old = downward(kind, { spec });
    expect(JSON.parse(annotationOf(old) ?? '')).toEqual({ apiVersion: `${GROUP}/v1beta2`, kind, spec });
    expect(convertTo(`${GROUP}/v1beta2`, old).metadata).toEqual(metadata);
  });
  test.each(['Metal3Data', 'Metal3DataClaim', 'Metal3DataTemplate', 'Metal3Remediation', 'Metal3RemediationTemplate'])(
    'of a %s needs none',
    (kind) => {
      const spec = kind === 'Metal3RemediationTemplate' ? { template: { spec: {} } } : {};
      expect(downward(kind, { spec }).metadata).toEqual(metadata);
    },
  );
  const backAgain = (kind: string, parts: Partial<Convertible>): Convertible =>
    convertTo(`${GROUP}/v1beta2`, downward(kind, parts));

  test.each([{ initialization: { provisioned: false } }, { lastUpdated: '2026-01-01T00:00:00Z' }])(
    'distinguishes what is not provisioned from what is not reported: %j',
    (status) => {
      expect(backAgain('Metal3Cluster', { status }).status).toEqual(status);
      expect(backAgain('Metal3Machine', { status }).status).toEqual(status);
    },
  );
  test.each([{ url: 'http://i' }, { url: 'http://i', checksum: '' }])(
    'distinguishes a missing checksum from an empty one: %j',
    (image) => {
      expect(backAgain('Metal3Machine', { spec: { image } }).spec).toEqual({ image });
      const template = { spec: { template: { spec: { image } } } };
      expect(backAgain('Metal3MachineTemplate', template).spec).toEqual(template.spec);
    },
  );
  test.each(['Metal3ClusterTemplate', 'Metal3MachineTemplate'])('gives a %s its metadata back', (kind) => {
    const spec = { template: { metadata: { labels: { rack: 'a' } }, spec: {} } };
    expect(backAgain(kind, { spec }).spec).toEqual(spec);
  });
  test('gives way to a checksum that was set in v1beta1 meanwhile', () => {
    const old = downward('Metal3Machine', { spec: { image: { url: 'http://i' } } });
    const changed = { ...old, spec: { image: { url: 'http://i', checksum: 'abc' } } };
    expect(convertTo(`${GROUP}/v1beta2`, changed).spec).toEqual(changed.spec);
  });
  test('does without an annotation that can not be read', () => {
    const spoilt = { ...metadata, annotations: { [DATA]: '{', other: 'x' } };
    const back = convertTo(`${GROUP}/v1beta2`, { ...v1beta1('Metal3Cluster', { metadata: spoilt, status: {} }) });
    expect(back).toMatchObject({ metadata: { annotations: { other: 'x' } }, status: {} });
    expect(annotationOf(back)).toBeUndefined();
  });
});

describe.each(['Metal3Cluster', 'Metal3Machine'])('the status of a %s', (kind) => {
  const old = [{ type: 'Ready', status: 'False', severity: 'Info', lastTransitionTime: '2026-01-01T00:00:00Z' }];
  const now = [
    { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
  ];

  test('says of being provisioned that it is ready', () => {
    expect(newStatus(kind, { ready: true })).toEqual({ initialization: { provisioned: true } });
    expect(newStatus(kind, { ready: false })).toEqual({});
    expect(oldStatus(kind, { initialization: { provisioned: true } })).toEqual({ ready: true });
    expect(oldStatus(kind, {})).toEqual({ ready: false });
  });
  test('keeps both families of conditions apart, and failures with the old one', () => {
    const before = {
      ready: false,
      failureReason: 'r',
      failureMessage: 'm',
      conditions: old,
      v1beta2: { conditions: now },
    };
    const after = {
      conditions: now,
      deprecated: { v1beta1: { conditions: old, failureReason: 'r', failureMessage: 'm' } },
    };
    expect(newStatus(kind, before)).toEqual(after);
    expect(oldStatus(kind, after)).toEqual(before);
  });
});

describe('a Metal3Cluster', () => {
  test.each([
    [{ cloudProviderEnabled: true }, { cloudProviderEnabled: true, noCloudProvider: false }],
    [{ cloudProviderEnabled: false }, { cloudProviderEnabled: false, noCloudProvider: true }],
    [{}, {}],
  ])('of v1beta2 with %j has in v1beta1 %j', (spec, old) => {
    expect(oldSpec('Metal3Cluster', spec)).toEqual(old);
  });
  test.each([
    [{ noCloudProvider: true }, { cloudProviderEnabled: false }],
    [{ noCloudProvider: false }, { cloudProviderEnabled: true }],
    [{ noCloudProvider: true, cloudProviderEnabled: true }, { cloudProviderEnabled: true }],
    [{}, {}],
  ])('of v1beta1 with %j has in v1beta2 %j', (old, spec) => {
    expect(newSpec('Metal3Cluster', old)).toEqual(spec);
  });
  test('has its failure domains by name in v1beta1 and in the order of names in v1beta2', () => {
    const byName = { b: { controlPlane: true }, a: { controlPlane: false, attributes: { x: 'y' } } };
    const inOrder = [
      { name: 'a', attributes: { x: 'y' } },
      { name: 'b', controlPlane: true },
    ];
    expect(newSpec('Metal3Cluster', { failureDomains: byName })).toEqual({ failureDomains: inOrder });
    expect(newStatus('Metal3Cluster', { failureDomains: byName })).toEqual({ failureDomains: inOrder });
    expect(oldSpec('Metal3Cluster', { failureDomains: inOrder })).toEqual({
      failureDomains: { a: { attributes: { x: 'y' } }, b: { controlPlane: true } },
    });
  });
  test.each([
    [
      { host: 'h', port: 6443 },
      { host: 'h', port: 6443 },
    ],
    [{ host: 'h', port: 0 }, { host: 'h' }],
    [{ host: '', port: 0 }, undefined],
  ])('of v1beta1 with the endpoint %j has %j', (old, endpoint) => {
    expect(newSpec('Metal3Cluster', { controlPlaneEndpoint: old })).toEqual(
      endpoint === undefined ? {} : { controlPlaneEndpoint: endpoint },
    );
  });
  test('of v1beta2 without a port has port 0 in v1beta1, which demands one', () => {
    expect(oldSpec('Metal3Cluster', { controlPlaneEndpoint: { host: 'h' } })).toEqual({
      controlPlaneEndpoint: { host: 'h', port: 0 },
    });
  });
});

describe('a failure domain', () => {
  test('of v1beta1 loses attributes that were empty, and none at all are no failure domains', () => {
    expect(newSpec('Metal3Cluster', { failureDomains: { east: { attributes: {} } } })).toEqual({
      failureDomains: [{ name: 'east' }],
    });
    expect(newSpec('Metal3Cluster', { failureDomains: {} })).toEqual({});
  });
});

describe('a Metal3ClusterTemplate', () => {
  test('is converted as the cluster in it', () => {
    const old = { template: { spec: { failureDomains: { a: {} }, noCloudProvider: false } } };
    const now = { template: { spec: { failureDomains: [{ name: 'a' }], cloudProviderEnabled: true } } };
    expect(newSpec('Metal3ClusterTemplate', old)).toEqual(now);
  });
});

describe('a Metal3Machine', () => {
  const whole = { apiVersion: 'v1', kind: 'k', name: 'n', namespace: 's', uid: 'u', fieldPath: 'f' };

  test('has the format of its image under another name', () => {
    const image = { url: 'http://i', checksum: 'c', checksumType: 'md5' };
    expect(newSpec('Metal3Machine', { image: { ...image, format: 'raw' } })).toEqual({
      image: { ...image, diskFormat: 'raw' },
    });
    expect(oldSpec('Metal3Machine', { image: { ...image, diskFormat: 'raw' } })).toMatchObject({
      image: { ...image, format: 'raw' },
    });
  });
  test('of v1beta1 can be written back as it was read: nothing is said of an image, a type or a format that is not given', () => {
    expect(oldSpec('Metal3Machine', { image: { url: 'http://i' } })).toEqual({
      image: { url: 'http://i' },
      hostSelector: {},
    });
    expect(oldSpec('Metal3Machine', { customDeploy: { method: 'm' } })).toEqual({
      customDeploy: { method: 'm' },
      hostSelector: {},
    });
  });
  test('of v1beta1 always has a checksum in v1beta2, be it an empty one', () => {
    expect(newSpec('Metal3Machine', { image: { url: 'http://i' } })).toEqual({
      image: { url: 'http://i', checksum: '' },
    });
  });
  test('of v1beta1 loses what was empty', () => {
    const old = { providerID: '', failureDomain: '', customDeploy: { method: '' }, hostSelector: { matchLabels: {} } };
    expect(newSpec('Metal3Machine', old)).toEqual({});
  });
  test('refers to its data template and its data by name and namespace alone', () => {
    expect(newSpec('Metal3Machine', { dataTemplate: whole })).toEqual({ dataTemplate: { name: 'n', namespace: 's' } });
    expect(newStatus('Metal3Machine', { renderedData: whole })).toEqual({
      renderedData: { name: 'n', namespace: 's' },
    });
    expect(oldSpec('Metal3Machine', { dataTemplate: { name: 'n' } })).toEqual({
      dataTemplate: { name: 'n' },
      hostSelector: {},
    });
  });
  test('of v1beta1 loses lists of its status that were empty', () => {
    const empty = { addresses: [], conditions: [], v1beta2: { conditions: [] } };
    expect(newStatus('Metal3Machine', { ready: true, ...empty })).toEqual({ initialization: { provisioned: true } });
  });
  test('loses its phase, which was never set', () => {
    expect(newStatus('Metal3Machine', { phase: 'Running', ready: true })).toEqual({
      initialization: { provisioned: true },
    });
  });
  test('keeps all else', () => {
    const spec = {
      providerID: 'metal3://a/b/c',
      customDeploy: { method: 'm' },
      userData: { name: 'u' },
      metaData: { name: 'm', namespace: 's' },
      networkData: { name: 'n' },
      hostSelector: { matchLabels: { a: '' }, matchExpressions: [{ key: 'k', operator: 'exists', values: [] }] },
      automatedCleaningMode: 'disabled',
      failureDomain: 'f',
    };
    expect(newSpec('Metal3Machine', spec)).toEqual(spec);
    expect(oldSpec('Metal3Machine', spec)).toEqual(spec);
  });
});

describe('a Metal3MachineTemplate', () => {
  test.each([
    [true, { nodeReuse: true }],
    [false, {}],
  ])('of v1beta1 with nodeReuse %j has %j', (nodeReuse, left) => {
    expect(newSpec('Metal3MachineTemplate', { template: { spec: {} }, nodeReuse })).toEqual({
      template: { spec: {} },
      ...left,
    });
  });
  test('of v1beta2 always says in v1beta1 whether nodes are reused', () => {
    expect(oldSpec('Metal3MachineTemplate', { template: { spec: {} } })).toEqual({
      template: { spec: { hostSelector: {} } },
      nodeReuse: false,
    });
  });
});

describe('a Metal3Data', () => {
  test('has index 0 where v1beta1 says none, and references to nothing are none', () => {
    expect(newSpec('Metal3Data', { claim: {}, template: { name: 't', uid: 'u' }, templateReference: 'x' })).toEqual({
      index: 0,
      template: { name: 't' },
    });
    expect(oldSpec('Metal3Data', {})).toEqual({ claim: {}, template: {} });
    expect(oldSpec('Metal3Data', { index: 2, claim: { name: 'c' } })).toEqual({
      index: 2,
      claim: { name: 'c' },
      template: {},
    });
  });
});

describe('a Metal3DataClaim', () => {
  test('of v1beta1 that names no template has none', () => {
    expect(newSpec('Metal3DataClaim', { template: {} })).toEqual({});
    expect(oldSpec('Metal3DataClaim', {})).toEqual({ template: {} });
  });
});

describe('a v1beta1 client that tests a field for its zero value', () => {
  test.each([
    ['Metal3Cluster', { ready: false }],
    ['Metal3Machine', { ready: false }],
    ['Metal3Data', { ready: false, errorMessage: '' }],
    ['Metal3DataClaim', { errorMessage: '' }],
  ])('finds it in the status of a %s, also of one that has none yet', (kind, status) => {
    expect(downward(kind, { spec: {} }).status).toEqual(status);
    expect(oldStatus(kind, {})).toEqual(status);
  });
  test.each(['Metal3Machine', 'Metal3MachineTemplate'])('finds the selector of a %s that has none', (kind) => {
    const spec = kind === 'Metal3Machine' ? {} : { template: { spec: {} } };
    const none = { hostSelector: {} };
    expect(oldSpec(kind, spec)).toMatchObject(kind === 'Metal3Machine' ? none : { template: { spec: none } });
  });
  test('does not find controlPlane of a failure domain for workers', () => {
    const failureDomains = [{ name: 'a', controlPlane: false }];
    expect(oldSpec('Metal3Cluster', { failureDomains })).toEqual({ failureDomains: { a: {} } });
    expect(oldStatus('Metal3Cluster', { failureDomains })).toEqual({ ready: false, failureDomains: { a: {} } });
  });
});

describe.each(['Metal3Data', 'Metal3DataClaim'])('the status of a %s', (kind) => {
  test('of v1beta1 loses an errorMessage that was empty', () => {
    expect(newStatus(kind, { errorMessage: '' })).toEqual({});
    expect(newStatus(kind, { errorMessage: 'no' })).toEqual({ errorMessage: 'no' });
  });
});

describe('a Metal3Remediation', () => {
  test('of v1beta1 loses zeros and empty texts', () => {
    expect(newSpec('Metal3Remediation', { strategy: { type: '', retryLimit: 0, timeout: '0s' } })).toEqual({
      strategy: {},
    });
    expect(newStatus('Metal3Remediation', { phase: '', retryCount: 0 })).toEqual({});
  });
  test.each([
    ['600s', 600],
    ['10m0s', 600],
    ['100.9s', 100],
  ])('of v1beta1 with a timeout of %s has %d seconds', (timeout, timeoutSeconds) => {
    expect(newSpec('Metal3Remediation', { strategy: { timeout } })).toEqual({ strategy: { timeoutSeconds } });
  });
  test('of v1beta2 has its timeout in v1beta1 as Go writes it', () => {
    const strategy = { type: 'Reboot', retryLimit: 2 };
    expect(oldSpec('Metal3Remediation', { strategy: { ...strategy, timeoutSeconds: 600 } })).toEqual({
      strategy: { ...strategy, timeout: '10m0s' },
    });
  });
  test('of v1beta1 with an invalid timeout is refused with a message', () => {
    expect(() => newSpec('Metal3Remediation', { strategy: { timeout: 'soon' } })).toThrow(
      'strategy.timeout: "soon" is not a duration',
    );
  });
});

describe('a Metal3RemediationTemplate', () => {
  test('has a status in its status in v1beta1, which demands one, and none in v1beta2 that is empty', () => {
    expect(newStatus('Metal3RemediationTemplate', { status: { phase: '', retryCount: 0 } })).toEqual({});
    expect(newStatus('Metal3RemediationTemplate', {})).toEqual({});
    expect(oldStatus('Metal3RemediationTemplate', {})).toEqual({ status: {} });
  });
});
