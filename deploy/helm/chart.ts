import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import { z } from 'zod';
import type { ImageName } from '../image/name.ts';
import { type Choice, choicesOf, type Slot, type Value } from './choices.ts';
import { isSettings, settingsIn, settingsTemplate } from './settings.ts';
import { conditional, nodeLines } from './template.ts';
import { expressionOf, valuesFile, valuesSchema } from './values.ts';
import { identityOf, type Manifest, readVariants, type Variants } from './variants.ts';

/**
 * The chart of Helm, made of the manifests that kustomize renders: their differences with each component become
 * conditions of the templates.
 */

export interface ChartOptions {
  readonly image: ImageName;
  /** The version of the chart, without a `v`. */
  readonly version: string;
  /** The version of Temper. */
  readonly appVersion: string;
  /** The names of all settings of bridge and workers. */
  readonly settingNames: readonly string[];
}

/** Writes the chart into a folder that it replaces. */
export async function writeChart(folder: string, kubectl: string, options: ChartOptions): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  for (const [file, text] of chartFiles(await readVariants(kubectl), options)) {
    await mkdir(join(folder, dirname(file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
}

/** The files of the chart by their paths. */
export function chartFiles(variants: Variants, options: ChartOptions): ReadonlyMap<string, string> {
  const { image, version, appVersion, settingNames } = options;
  const defaults = {
    image,
    replicas: { bridge: replicasOf(variants.base, 'bridge'), workers: replicasOf(variants.base, 'workers') },
    settings: settingsIn(variants.base),
    components: [...variants.with.keys()],
    settingNames,
  };
  return new Map([
    [
      'Chart.yaml',
      stringify({
        apiVersion: 'v2',
        name: 'temper',
        type: 'application',
        description: 'Bare-metal hosts as durable Temporal workflows, behind the Metal3 APIs',
        version,
        appVersion,
        kubeVersion: '>=1.30.0-0',
      }),
    ],
    ['values.yaml', valuesFile(defaults)],
    ['values.schema.json', `${JSON.stringify(valuesSchema(defaults), undefined, 2)}\n`],
    ['templates/_helpers.tpl', `${IMAGE}\n${settingsTemplate(variants, expressionOf)}\n`],
    ['templates/checks.yaml', CHECKS],
    ['templates/settings.yaml', SETTINGS],
    ...templates(variants),
  ]);
}

const IMAGE = `{{- define "temper.image" }}
{{- required "image.repository is not given: the name of the image with its registry" $.Values.image.repository }}
{{- if $.Values.image.digest }}@{{ $.Values.image.digest }}
{{- else if $.Values.image.tag }}:{{ $.Values.image.tag }}
{{- end }}
{{- end }}`;

const CHECKS = `{{- if and (has "addresses-only" $.Values.components) (has "without-addresses" $.Values.components) }}
{{- fail "components: addresses-only and without-addresses exclude each other" }}
{{- end }}
`;

const SETTINGS = `apiVersion: v1
kind: ConfigMap
metadata:
  name: temper-settings
  namespace: {{ $.Release.Namespace }}
data:
  {{- include "temper.settings" $ | nindent 2 }}
`;

/** What stands in the manifests for something that the chart's user decides, until the templates are written. */
const MARKS = {
  image: '⟦image⟧',
  bridge: '⟦bridge⟧',
  workers: '⟦workers⟧',
  settings: '⟦settings⟧',
  scheduling: '⟦scheduling⟧',
  watched: '⟦watched⟧',
} as const;
const HOME = 'temper-system';
/** The namespace in the component for one namespace. */
const WATCHED = 'metal3';

/** One file for each kind. */
function templates(variants: Variants): readonly (readonly [string, string])[] {
  const usual = byIdentity(variants.base);
  const others = [...variants.with].map(([component, manifests]) => [component, byIdentity(manifests)] as const);
  const files = new Map<string, string[]>();
  for (const identity of new Set([usual, ...others.map(([, each]) => each)].flatMap((each) => [...each.keys()]))) {
    const [kind = ''] = identity.split('/');
    if (kind === 'Namespace') continue;
    const before = usual.get(identity);
    const own = (one: Manifest | undefined): Value =>
      one === undefined ? undefined : before === undefined ? withWatched(marked(one)) : marked(one);
    const seen = others.map(([component, each]) => [component, own(each.get(identity))] as const);
    const changes = new Map(seen.filter(([, value]) => !isDeepStrictEqual(value, own(before))));
    const slot = choicesOf(own(before), changes).map(({ when, node }): Choice => {
      const removers = (when?.any ?? []).map((component) => variants.removersOf(identity, component));
      const [first = [], ...rest] = removers;
      const none = [...(when?.none ?? []), ...first.filter((one) => rest.every((each) => each.includes(one)))];
      return { when: none.length === 0 ? when : { ...when, none }, node };
    });
    const file = `templates/${kind.toLowerCase()}.yaml`;
    files.set(file, [...(files.get(file) ?? []), ...documentLines(slot)]);
  }
  return [...files].map(([file, lines]) => [file, `${lines.join('\n')}\n`] as const);
}

const byIdentity = (manifests: readonly Manifest[]): ReadonlyMap<string, Manifest> =>
  new Map(manifests.filter((one) => !isSettings(one)).map((one) => [identityOf(one), one]));

const deployment = z.looseObject({
  kind: z.literal('Deployment'),
  metadata: z.looseObject({ labels: z.looseObject({ 'app.kubernetes.io/component': z.enum(['bridge', 'workers']) }) }),
  spec: z.looseObject({
    replicas: z.number(),
    template: z.looseObject({
      metadata: z.looseObject({ annotations: z.record(z.string(), z.string()).optional() }),
      spec: z.looseObject({ containers: z.tuple([z.looseObject({ image: z.string() })]) }),
    }),
  }),
});

function replicasOf(manifests: readonly Manifest[], component: 'bridge' | 'workers'): number {
  for (const one of manifests) {
    const { data } = deployment.safeParse(one);
    if (data?.metadata.labels['app.kubernetes.io/component'] === component) return data.spec.replicas;
  }
  throw new Error(`the base has no Deployment of the ${component}`);
}

/** Marks what the user decides, and keeps the CRDs when the chart is uninstalled: deleting one deletes its objects. */
function marked(one: Manifest): Manifest {
  const { metadata } = one;
  if (one.kind === 'CustomResourceDefinition') {
    const annotations = { ...(metadata['annotations'] as object), 'helm.sh/resource-policy': 'keep' };
    return { ...one, metadata: { ...metadata, annotations } };
  }
  const { data } = deployment.safeParse(one);
  if (data === undefined) return one;
  const { spec } = data;
  const { template } = spec;
  const [container] = template.spec.containers;
  const annotations = { ...template.metadata.annotations, 'checksum/settings': MARKS.settings };
  return {
    ...one,
    spec: {
      ...spec,
      replicas: MARKS[data.metadata.labels['app.kubernetes.io/component']],
      template: {
        ...template,
        metadata: { ...template.metadata, annotations },
        spec: { ...template.spec, containers: [{ ...container, image: MARKS.image }], [MARKS.scheduling]: null },
      },
    },
  };
}

/** A new object of a component is about the watched namespaces where it names that of the component. */
const withWatched = (one: Manifest): Manifest =>
  JSON.parse(JSON.stringify(one), (_, value: unknown) => (value === WATCHED ? MARKS.watched : value)) as Manifest;

function documentLines(slot: Slot): readonly string[] {
  return conditional(slot, expressionOf, (node) => {
    const lines = nodeLines(node, expressionOf);
    const document = ['---', ...lines.flatMap(unmarked)];
    if (!lines.includes(`  namespace: ${MARKS.watched}`)) return document;
    return [
      '{{- range $namespace := $.Values.namespaces }}',
      ...document.map((line) => line.replaceAll(MARKS.watched, '{{ $namespace }}')),
      '{{- end }}',
    ];
  });
}

/** What the user decides, in place of the marks. */
function unmarked(line: string): readonly string[] {
  const indent = /^ */.exec(line)?.[0] ?? '';
  if (line.trim().startsWith(MARKS.scheduling))
    return ['imagePullSecrets', 'nodeSelector', 'tolerations'].flatMap((field) => [
      `{{- with $.Values.${field} }}`,
      `${indent}${field}:`,
      `${indent}  {{- toYaml . | nindent ${indent.length + 2} }}`,
      '{{- end }}',
    ]);
  if (line.trim() === `- ${MARKS.watched}`)
    return ['{{- range $.Values.namespaces }}', `${indent}- {{ . }}`, '{{- end }}'];
  return [
    line
      .replaceAll(MARKS.image, '{{ include "temper.image" $ }}')
      .replaceAll(MARKS.bridge, '{{ $.Values.replicas.bridge }}')
      .replaceAll(MARKS.workers, '{{ $.Values.replicas.workers }}')
      .replaceAll(MARKS.settings, '{{ include "temper.settings" $ | sha256sum }}')
      .replaceAll(HOME, '{{ $.Release.Namespace }}'),
  ];
}
