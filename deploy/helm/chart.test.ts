import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { chartFiles } from './chart.ts';
import type { Manifest, Variants } from './variants.ts';

const HOME = 'temper-system';
const aManifest = (kind: string, name: string, namespace: string | undefined, rest: object = {}): Manifest => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, ...(namespace !== undefined && { namespace }) },
  ...rest,
});
const aDeployment = (component: string, replicas: number): Manifest => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: component, namespace: HOME, labels: { 'app.kubernetes.io/component': component } },
  spec: { replicas, template: { metadata: {}, spec: { containers: [{ image: 'image-not-set.invalid/temper' }] } } },
});
const settings = (data: Readonly<Record<string, string>>): Manifest =>
  aManifest('ConfigMap', 'temper-settings', HOME, { data: { TEMPORAL_ADDRESS: 'temporal:7233', ...data } });

const COMMON = [
  aManifest('Namespace', HOME, undefined),
  aManifest('CustomResourceDefinition', 'hosts', undefined),
  aDeployment('bridge', 2),
  aDeployment('workers', 3),
];
const BINDING = aManifest('RoleBinding', 'bound', 'metal3', { subjects: [{ name: 'bridge', namespace: HOME }] });
const NARROW = aManifest('ClusterRole', 'narrow', undefined, { rules: [{ resourceNames: ['metal3'] }] });
const VARIANTS: Variants = {
  base: [...COMMON, settings({})],
  with: new Map([
    ['discovery', [...COMMON, settings({ DISCOVERY_ENABLED: 'true' }), aManifest('ClusterRole', 'found', undefined)]],
    ['one-namespace', [...COMMON, settings({ WATCH_NAMESPACE: 'metal3' }), BINDING, NARROW]],
    ['without-addresses', COMMON.filter(({ kind }) => kind !== 'CustomResourceDefinition')],
  ]),
  removersOf: (identity) => (identity === 'RoleBinding/metal3/bound' ? ['without-addresses'] : []),
};
const files = chartFiles(VARIANTS, {
  image: { repository: 'registry.example.com/temper', digest: 'sha256:0a' },
  version: '1.14.99',
  appVersion: '0.1.0',
  settingNames: ['LOG_LEVEL'],
});
const fileOf = (name: string): string => files.get(name) ?? '';

describe('the chart', () => {
  test('has a file for each kind, and not its namespace, which Helm makes or finds', () => {
    expect([...files.keys()].filter((name) => /^templates\/[a-z]+\.yaml$/.test(name)).toSorted()).toEqual(
      ['checks', 'clusterrole', 'customresourcedefinition', 'deployment', 'rolebinding', 'settings'].map(
        (name) => `templates/${name}.yaml`,
      ),
    );
  });

  test('keeps CRDs, with all objects of their kinds, when it is uninstalled', () => {
    expect(fileOf('templates/customresourcedefinition.yaml')).toBe(
      [
        '{{- if not (has "without-addresses" $.Values.components) }}',
        '---',
        'apiVersion: v1',
        'kind: CustomResourceDefinition',
        'metadata:',
        '  name: hosts',
        '  annotations:',
        '    helm.sh/resource-policy: keep',
        '{{- end }}',
        '',
      ].join('\n'),
    );
  });

  test('takes image, replicas, places and settings of its Pods from its values', () => {
    const text = fileOf('templates/deployment.yaml');
    expect(text).not.toMatch(/⟦|temper-system|image-not-set/);
    for (const line of [
      '  namespace: {{ $.Release.Namespace }}',
      '  replicas: {{ $.Values.replicas.bridge }}',
      '  replicas: {{ $.Values.replicas.workers }}',
      '        checksum/settings: {{ include "temper.settings" $ | sha256sum }}',
      '        - image: {{ include "temper.image" $ }}',
      '      tolerations:',
    ])
      expect(text.split('\n')).toContain(line);
    expect(parse(fileOf('values.yaml'))).toMatchObject({
      image: { repository: 'registry.example.com/temper', tag: '', digest: 'sha256:0a' },
      replicas: { bridge: 2, workers: 3 },
      temporal: { address: 'temporal:7233', tls: false },
    });
  });

  test('gives the rights of a namespace in each one that is watched, and those of a component with it alone', () => {
    expect(fileOf('templates/rolebinding.yaml')).toBe(
      [
        '{{- if and (($.Values.namespaces)) (not (has "without-addresses" $.Values.components)) }}',
        '{{- range $namespace := $.Values.namespaces }}',
        '---',
        'apiVersion: v1',
        'kind: RoleBinding',
        'metadata:',
        '  name: bound',
        '  namespace: {{ $namespace }}',
        'subjects:',
        '  - name: bridge',
        '    namespace: {{ $.Release.Namespace }}',
        '{{- end }}',
        '{{- end }}',
        '',
      ].join('\n'),
    );
    const roles = fileOf('templates/clusterrole.yaml');
    expect(roles).toContain('{{- if (has "discovery" $.Values.components) }}\n---\n');
    expect(roles).toContain('{{- range $.Values.namespaces }}\n      - {{ . }}\n{{- end }}');
  });

  test('has the settings of the base, of chosen components, and then those of the user', () => {
    const lines = fileOf('templates/_helpers.tpl').split('\n');
    const at = [
      '{{- $_ := set $settings "TEMPORAL_ADDRESS" $.Values.temporal.address }}',
      '{{- if has "discovery" $.Values.components }}',
      '{{- $_ := set $settings "DISCOVERY_ENABLED" "true" }}',
      '{{- $_ := set $settings "WATCH_NAMESPACE" (join "," $.Values.namespaces) }}',
      '{{- $_ := set $settings $name $value }}',
    ].map((line) => lines.indexOf(line));
    expect(at).toEqual(at.toSorted((a, b) => a - b));
    expect(at).not.toContain(-1);
  });

  test('knows its values, its components and the settings, and no others', () => {
    const schema = JSON.parse(fileOf('values.schema.json')) as { properties: Record<string, object> };
    const values = parse(fileOf('values.yaml')) as object;
    expect(Object.keys(schema.properties).filter((name) => name !== 'global')).toEqual(Object.keys(values));
    expect(schema).toMatchObject({
      additionalProperties: false,
      properties: {
        components: { items: { enum: ['discovery', 'without-addresses'] } },
        settings: { properties: { LOG_LEVEL: { type: 'string' } }, additionalProperties: false },
      },
    });
  });
});
