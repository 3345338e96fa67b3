import { same } from '../../../domain/same.ts';
import { isObject } from '../../../kube/merge-patch.ts';
import type { Json } from '../objects.ts';
import type { Answer, Recorded } from './corpus.ts';
import { versionOf } from './recorded.ts';

/** An intended difference of Temper, as in a row of test/facts/cluster-api.yaml. */
interface Difference {
  readonly row: string;
  /** What Temper answers; the same answer where there is no difference. */
  readonly temper: (recorded: Recorded, answers: readonly Recorded[]) => Answer;
}

/** What Temper answers where upstream answers this. */
export const asTemper = (recorded: Recorded, answers: readonly Recorded[]): Answer =>
  DIFFERENCES.reduce((answer, { temper }) => temper({ ...recorded, answer }, answers), recorded.answer);

/** The row of each difference between what upstream answers and what Temper does. */
export const rowsOf = (recorded: Recorded, answers: readonly Recorded[]): readonly string[] =>
  DIFFERENCES.reduce<{ readonly answer: Answer; readonly rows: readonly string[] }>(
    ({ answer, rows }, { row, temper }) => {
      const after = temper({ ...recorded, answer }, answers);
      return { answer: after, rows: same(after, answer) ? rows : [...rows, row] };
    },
    { answer: recorded.answer, rows: [] },
  ).rows;

/** A difference of answered objects; `from` is the object that was converted. */
const ofObjects =
  (change: (answer: Json, from: Json) => Json) =>
  ({ object, answer }: Recorded): Answer =>
    'object' in answer ? { object: change(answer.object, object) } : answer;

const ofVersion = (version: string, change: (answer: Json, from: Json) => Json) =>
  ofObjects((answer, from) => (versionOf(answer) === version ? change(answer, from) : answer));

/** Changes each object at any depth, the inner ones first; not in a map of parameters of a bond, whose values are any. */
const everywhere =
  (change: (value: Json) => Json) =>
  (value: Json): Json =>
    change(
      Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [
          name,
          name === 'parameters' && isObject(inner) ? inner : deeper(inner, everywhere(change)),
        ]),
      ),
    );

function deeper(value: unknown, change: (value: Json) => Json): unknown {
  if (Array.isArray(value)) return value.map((item) => deeper(item, change));
  return isObject(value) ? change(value) : value;
}

/** Removes a field that has one of these values. */
const without =
  (name: string, ...values: readonly unknown[]) =>
  (value: Json): Json => {
    const { [name]: found, ...rest } = value;
    return values.some((each) => same(each, found)) ? rest : value;
  };

const all =
  (...changes: readonly ((value: Json) => Json)[]) =>
  (value: Json): Json =>
    changes.reduce((current, change) => change(current), value);

/** Changes the object at a path; a missing one is empty. */
const at =
  (path: readonly string[], change: (value: Json) => Json) =>
  (value: Json): Json => {
    const [name, ...rest] = path;
    if (name === undefined) return change(value);
    const inner = value[name];
    return { ...value, [name]: at(rest, change)(isObject(inner) ? inner : {}) };
  };

const inside = (value: Json, ...path: readonly string[]): Json =>
  path.reduce<Json>((current, name) => (isObject(current[name]) ? current[name] : {}), value);

const CLUSTERS: Readonly<Record<string, readonly string[]>> = {
  Metal3Cluster: ['spec'],
  Metal3ClusterTemplate: ['spec', 'template', 'spec'],
};

function withCloudProvider(answer: Json, from: Json): Json {
  const path = CLUSTERS[String(answer['kind'])];
  if (path === undefined) return answer;
  const { noCloudProvider, cloudProviderEnabled } = inside(from, ...path);
  return typeof noCloudProvider === 'boolean' && cloudProviderEnabled === undefined
    ? at(path, (spec) => ({ ...spec, cloudProviderEnabled: !noCloudProvider }))(answer)
    : answer;
}

const MACHINES: Readonly<Record<string, readonly string[]>> = {
  Metal3Machine: ['spec'],
  Metal3MachineTemplate: ['spec', 'template', 'spec'],
};

function withChecksum(answer: Json, from: Json): Json {
  const path = MACHINES[String(answer['kind'])];
  const { checksum } = inside(from, ...(path ?? []), 'image');
  return path !== undefined && typeof checksum === 'string' && checksum !== ''
    ? at([...path, 'image'], (image) => ({ ...image, checksum }))(answer)
    : answer;
}

const withGateways = everywhere((value) => {
  const { routes } = value;
  return Array.isArray(routes)
    ? { ...value, routes: routes.map((route) => at(['gateway'], (gateway) => gateway)(route as Json)) }
    : value;
});

const withValues = everywhere((value) => {
  const { matchExpressions: rules } = value;
  return Array.isArray(rules)
    ? { ...value, matchExpressions: rules.map((rule) => ({ values: [], ...(rule as Json) })) }
    : value;
});

const TEMPLATES = ['Metal3ClusterTemplate', 'Metal3MachineTemplate', 'Metal3RemediationTemplate'];

function withParents(answer: Json): Json {
  const kind = String(answer['kind']);
  if (kind === 'Metal3DataTemplate') return at(['spec'], withGateways)(answer);
  const whole = TEMPLATES.includes(kind) ? at(['spec', 'template', 'spec'], (spec) => spec)(answer) : answer;
  return Object.hasOwn(MACHINES, kind) ? withValues(whole) : whole;
}

const EMPTY_PARENTS = all(without('deprecated', { v1beta1: {} }), without('v1beta2', {}));
const EMPTY_NETWORK_DATA = everywhere(all(without('links', {}), without('networks', {}), without('services', {})));

const withoutParents = (answer: Json): Json => {
  const { status, spec } = answer;
  const isOfNetworks = answer['kind'] === 'Metal3DataTemplate' && versionOf(answer) === 'v1beta2';
  return {
    ...answer,
    ...(isObject(status) && { status: EMPTY_PARENTS(status) }),
    ...(isObject(spec) && isOfNetworks && { spec: EMPTY_NETWORK_DATA(spec) }),
  };
};

/** Bonds have parameters of any value. */
const hasNull = (value: unknown): boolean =>
  value === null ||
  (typeof value === 'object' &&
    Object.entries(value).some(([name, inner]) => (name === 'parameters' ? inner === null : hasNull(inner))));

const DIFFERENCES: readonly Difference[] = [
  {
    row: 'm3-C4',
    temper: ({ sample, answer }, answers) => {
      const [, same] = /^(.* written back )with data that cannot be read$/.exec(sample) ?? [];
      return answers.find((other) => other.sample === `${same}without that data`)?.answer ?? answer;
    },
  },
  {
    row: 'm3-C6',
    temper: ofObjects(
      everywhere(
        all(
          without('checksumType', ''),
          without('format', ''),
          without('image', { url: '' }, { checksum: '' }),
          without('controlPlaneEndpoint', { host: '', port: 0 }),
          without('bondXmitHashPolicy', ''),
          without('bondLinks', null),
          without('timeout', null),
          without('apiGroup', null),
          without('value', null),
          without('spec', { clusterName: '' }),
        ),
      ),
    ),
  },
  { row: 'm3-C145', temper: ofVersion('v1beta2', withParents) },
  { row: 'm3-C5', temper: ofVersion('v1beta2', withCloudProvider) },
  { row: 'm3-C3', temper: ofVersion('v1beta2', withChecksum) },
  { row: 'm3-C146', temper: ofObjects(withoutParents) },
  {
    row: 'm3-C147',
    temper: ({ object, answer }) => (versionOf(object) === 'v1beta1' && hasNull(object) ? { refused: 'null' } : answer),
  },
];

/** The rows of all differences. */
export const DECLARED: readonly string[] = DIFFERENCES.map(({ row }) => row);
