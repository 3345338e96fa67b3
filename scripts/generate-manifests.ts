import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { convertedDefinitions } from '../api/crds.ts';
import { IPAM } from '../api/groups.ts';
import type { Kind, RoleOfRights } from '../api/kind.ts';
import { ALL_KINDS } from '../api/kinds.ts';
import { registered } from '../domain/admission/registered.ts';
import { AT_WEBHOOKS } from '../domain/kinds.ts';
import { putFile } from './generated-page.ts';

/** The parts of the manifests that follow from what kinds declare. They lie between two comments in files of people. */
const FILES = [
  'base/addresses-roles.yaml',
  'base/bridge-roles.yaml',
  'base/webhooks.yaml',
  'base/workers-roles.yaml',
  'components/addresses-only/kustomization.yaml',
  'components/self-managed/roles.yaml',
  'components/without-addresses/kustomization.yaml',
].map((file) => `deploy/kubernetes/${file}`);
const BLOCK = /^( *)# Generated from api\/ by `npm run manifests`: (.+)\n(?:.*\n)*?\1# End of what is generated\.$/gm;

/** Longer lists have a line for each entry. */
const LINE = 118;

const groupOf = ({ apiVersion }: Kind): string => apiVersion.split('/')[0] ?? '';
const versionOf = ({ apiVersion }: Kind): string => apiVersion.split('/')[1] ?? '';
const listed = (names: readonly string[]): string => `[${names.join(', ')}]`;

function resourceLines(names: readonly string[]): readonly string[] {
  const line = `  resources: ${listed(names)}`;
  return line.length <= LINE ? [line] : ['  resources:', ...names.map((name) => `    - ${name}`)];
}

/** One rule for the resources of a group that have the same verbs. */
function rules(role: RoleOfRights): readonly string[] {
  const resources = new Map<string, string[]>();
  for (const kind of ALL_KINDS) {
    const { object = [], status = [] } = kind.rights?.[role] ?? {};
    for (const [resource, verbs] of [[kind.plural, object] as const, [`${kind.plural}/status`, status] as const]) {
      if (verbs.length === 0) continue;
      const key = `${groupOf(kind)} ${listed(verbs)}`;
      resources.set(key, [...(resources.get(key) ?? []), resource]);
    }
  }
  return [...resources].flatMap(([key, names]) => [
    `- apiGroups: [${key.slice(0, key.indexOf(' '))}]`,
    ...resourceLines(names.toSorted()),
    `  verbs: ${key.slice(key.indexOf(' ') + 1)}`,
  ]);
}

const WITH = {
  validate: AT_WEBHOOKS.filter(({ rules: own }) => own !== undefined).map(({ of }) => of),
  mutate: AT_WEBHOOKS.filter(({ defaults }) => defaults !== undefined).map(({ of }) => of),
};

const webhooks = (verb: keyof typeof WITH): readonly string[] =>
  WITH[verb].flatMap((kind) => {
    const { webhook, path } = registered(kind, verb);
    return [
      `- name: ${webhook}`,
      '  admissionReviewVersions: [v1]',
      '  clientConfig:',
      '    service:',
      '      name: temper-webhook-service',
      '      namespace: temper-system',
      `      path: ${path}`,
      '  failurePolicy: Fail',
      '  matchPolicy: Equivalent',
      '  rules:',
      `    - apiGroups: [${groupOf(kind)}]`,
      `      apiVersions: [${versionOf(kind)}]`,
      '      operations: [CREATE, UPDATE]',
      `      resources: [${kind.plural}]`,
      '  sideEffects: None',
    ];
  });

const without = (verb: keyof typeof WITH, isRemoved: (kind: Kind) => boolean): readonly string[] =>
  WITH[verb].filter(isRemoved).map((kind) => `- { name: ${registered(kind, verb).webhook}, $patch: delete }`);
const isOfPools = ({ apiVersion }: Kind): boolean => apiVersion === IPAM;
const isOfOthers = (kind: Kind): boolean => !isOfPools(kind);

const BLOCKS: Readonly<Record<string, () => readonly string[]>> = {
  'rights of the bridge': () => rules('bridge'),
  'rights of the workers': () => rules('workers'),
  'rights of the bridge for pools': () => rules('bridge-addresses'),
  'rights of the workers for pools': () => rules('workers-addresses'),
  'validating webhooks': () => webhooks('validate'),
  'mutating webhooks': () => webhooks('mutate'),
  'no validating webhooks of pools': () => without('validate', isOfPools),
  'no mutating webhooks of pools': () => without('mutate', isOfPools),
  'validating webhooks of pools alone': () => without('validate', isOfOthers),
  'mutating webhooks of pools alone': () => without('mutate', isOfOthers),
  'CRDs that are converted': () => convertedDefinitions.map((name) => `- ${name}`),
};

for (const file of FILES) {
  const text = readFileSync(join(import.meta.dirname, '..', file), 'utf8').replaceAll(
    BLOCK,
    (block: string, indent: string, name: string) => {
      const made = BLOCKS[name];
      if (made === undefined) throw new Error(`${file}: nothing generates ${name}`);
      const lines = block.split('\n');
      return [lines[0], ...made().map((line) => `${indent}${line}`), lines.at(-1)].join('\n');
    },
  );
  await putFile(file, text, 'manifests');
}
