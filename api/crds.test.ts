import { describe, expect, test } from 'vitest';
import { type CustomResourceDefinition, storedVersion, toDefinition } from '../deploy/crds/definition.ts';
import { machineApiResources } from '../deploy/crds/machine-api.ts';
import { convertedDefinitions, customResources } from './crds.ts';

const definitions = customResources.map(toDefinition);
const ofGroup = (group: string): readonly CustomResourceDefinition[] =>
  definitions.filter(({ spec }) => spec.group === group);
const named = (name: string): CustomResourceDefinition | undefined =>
  definitions.find(({ metadata }) => metadata.name === name);
const infrastructure = ofGroup('infrastructure.cluster.x-k8s.io').map((one) => [one.metadata.name, one] as const);

describe('a kind of Cluster API', () => {
  test.each(infrastructure)(
    '%s has the labels from which clusterctl and Cluster API read its versions',
    (_, { metadata }) => {
      expect(metadata.labels).toMatchObject({
        'cluster.x-k8s.io/provider': 'infrastructure-metal3',
        'cluster.x-k8s.io/v1beta1': 'v1beta1',
        'cluster.x-k8s.io/v1beta2': 'v1beta2',
      });
    },
  );
  test.each(infrastructure)(
    '%s is in the category of its kinds, served in two versions and stored as v1beta2',
    (_, definition) => {
      expect(definition.spec.names['categories']).toEqual(['cluster-api']);
      expect(definition.spec.versions.map(({ name, served, deprecated }) => [name, served, deprecated])).toEqual([
        ['v1beta1', true, true],
        ['v1beta2', true, undefined],
      ]);
      expect(storedVersion(definition).name).toBe('v1beta2');
    },
  );
  test('is converted, and no other is', () => {
    expect(convertedDefinitions).toEqual(infrastructure.map(([name]) => name));
  });
  test.each(infrastructure)('%s is converted by the webhook, and cert-manager can inject the CA', (_, one) => {
    expect(one.spec.conversion).toMatchObject({
      strategy: 'Webhook',
      webhook: { clientConfig: { service: { path: '/convert' } }, conversionReviewVersions: ['v1', 'v1beta1'] },
    });
    expect(one.metadata.annotations).toHaveProperty(['cert-manager.io/inject-ca-from']);
  });
  test('is moved by clusterctl without an owner if it is a Metal3DataTemplate', () => {
    const moved = definitions.filter(({ metadata }) => 'clusterctl.cluster.x-k8s.io/move' in (metadata.labels ?? {}));
    expect(moved.map(({ metadata }) => metadata.name)).toEqual(['metal3datatemplates.infrastructure.cluster.x-k8s.io']);
  });
  test('is exempt from the check of its plural if it is a Metal3Data', () => {
    expect(named('metal3datas.infrastructure.cluster.x-k8s.io')?.metadata.annotations).toHaveProperty(
      ['clusterctl.cluster.x-k8s.io/skip-crd-name-preflight-check'],
      '',
    );
  });
});

describe('a kind of IPAM', () => {
  test('has one version, and the labels of the old contracts', () => {
    for (const { metadata, spec } of ofGroup('ipam.metal3.io')) {
      expect(spec.versions.map(({ name }) => name)).toEqual(['v1alpha1']);
      expect(spec.conversion).toBeUndefined();
      expect(metadata.labels).toEqual({
        'cluster.x-k8s.io/provider': 'ipam-metal3',
        'cluster.x-k8s.io/v1alpha2': 'v1alpha2',
        'cluster.x-k8s.io/v1alpha3': 'v1alpha3_v1alpha4',
        'cluster.x-k8s.io/v1alpha4': 'v1alpha5',
        'cluster.x-k8s.io/v1beta1': 'v1beta1',
      });
    }
  });
});

describe('the Machine API', () => {
  test('has Machines in one version for each era, and MachineSets only of OpenShift', () => {
    const versions = machineApiResources
      .map(toDefinition)
      .map(({ metadata, spec }) => [metadata.name, spec.versions.map(({ name }) => name)]);
    expect(Object.fromEntries(versions)).toEqual({
      'machines.machine.openshift.io': ['v1beta1'],
      'machinesets.machine.openshift.io': ['v1beta1'],
      'machines.cluster.k8s.io': ['v1alpha1'],
    });
  });
});
