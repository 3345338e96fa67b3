import { describe, expect, test } from 'vitest';
import { type Convertible, Inconvertible } from './conversion/convertible.ts';
import { convertTo } from './convert.ts';

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

describe('a Metal3Remediation', () => {
  test('of v1beta1 with an invalid timeout is refused with a message', () => {
    const spec = { strategy: { timeout: 'soon' } };
    expect(() => upward('Metal3Remediation', { spec })).toThrow('strategy.timeout: "soon" is not a duration');
  });
});
