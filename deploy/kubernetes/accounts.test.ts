import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { inRepository } from '../../test/builders/compose-file.ts';
import { productionFiles } from '../../test/builders/production-files.ts';
import { rendered } from '../../test/builders/rendered.ts';

const named = z.object({ kind: z.string(), metadata: z.object({ name: z.string() }) });
const policy = z.object({
  kind: z.literal('ValidatingAdmissionPolicy'),
  metadata: z.object({ name: z.string().endsWith('-secrets') }),
  spec: z.object({
    paramKind: z.strictObject({
      apiVersion: z.literal('rbac.authorization.k8s.io/v1'),
      kind: z.literal('ClusterRoleBinding'),
    }),
  }),
});
const binding = z.object({
  kind: z.literal('ValidatingAdmissionPolicyBinding'),
  spec: z.object({
    policyName: z.string(),
    validationActions: z.tuple([z.literal('Deny')]),
    paramRef: z.strictObject({ name: z.string(), parameterNotFoundAction: z.literal('Allow') }),
  }),
});
const bound = z.object({
  kind: z.literal('ClusterRoleBinding'),
  metadata: z.object({ name: z.string() }),
  roleRef: z.object({ name: z.string() }),
  subjects: z.array(z.object({ kind: z.literal('ServiceAccount'), name: z.string(), namespace: z.string() })),
});
const account = z.object({
  kind: z.literal('ServiceAccount'),
  metadata: z.object({ name: z.string(), namespace: z.string() }),
});
const pods = z.object({
  kind: z.literal('Deployment'),
  metadata: z.object({ namespace: z.string() }),
  spec: z.object({ template: z.object({ spec: z.object({ serviceAccountName: z.string() }) }) }),
});
const role = z.object({
  kind: z.enum(['ClusterRole', 'Role']),
  metadata: z.object({ name: z.string() }),
  rules: z.array(
    z.object({
      apiGroups: z.array(z.string()),
      resources: z.array(z.string()),
      resourceNames: z.array(z.string()).optional(),
      verbs: z.array(z.string()),
    }),
  ),
});

const some = <Schema extends z.ZodType>(objects: readonly unknown[], schema: Schema): z.infer<Schema>[] =>
  objects.flatMap((one) => {
    const read = schema.safeParse(one);
    return read.success ? [read.data] : [];
  });

/** Groups whose objects give their writer the rights of others, and resources that do so in the other groups. */
const POWERFUL_GROUPS = ['rbac.authorization.k8s.io', 'certificates.k8s.io', 'apps', 'batch', '*'];
const POWERFUL = [
  'pods',
  'pods/exec',
  'pods/ephemeralcontainers',
  'serviceaccounts',
  'serviceaccounts/token',
  'nodes/proxy',
  'users',
  'groups',
  'userextras',
];

describe.each([
  'kubernetes/overlays/cert-manager',
  'kubernetes/overlays/self-managed',
  'kubernetes/overlays/one-namespace',
  'kubernetes/overlays/discovery',
  'kubernetes/overlays/machine-api',
  'clusterctl/infrastructure',
  'clusterctl/ipam',
])('the accounts of %s', async (folder) => {
  const objects = await rendered(folder);

  const inWords = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
    `${namespace}/${name}`;

  test('are those of its Pods, and the policy about Secrets applies to both', () => {
    const used = some(objects, pods).map(
      ({ metadata, spec }) => `${metadata.namespace}/${spec.template.spec.serviceAccountName}`,
    );
    expect(used).toHaveLength(2);
    expect(some(objects, account).map(({ metadata }) => inWords(metadata))).toEqual(used);
    const [{ metadata } = { metadata: { name: '' } }] = some(objects, policy);
    const [{ spec } = { spec: undefined }, ...others] = some(objects, binding).filter(
      (one) => one.spec.policyName === metadata.name,
    );
    expect(others).toEqual([]);
    const subjects = some(objects, bound).filter((one) => one.metadata.name === spec?.paramRef.name);
    expect(subjects.flatMap((one) => one.subjects.map(inWords)).toSorted()).toEqual(used.toSorted());
  });

  test('may do nothing without the binding that is the parameter of the policy, so that nobody removes it', () => {
    const [{ spec } = { spec: undefined }] = some(objects, binding).filter((one) =>
      one.spec.policyName.endsWith('-secrets'),
    );
    const [found] = some(objects, bound).filter((one) => one.metadata.name === spec?.paramRef.name);
    const of = (wanted: (name: string) => boolean) =>
      some(objects, role)
        .filter(({ kind, metadata }) => kind === 'ClusterRole' && wanted(metadata.name))
        .flatMap(({ rules }) => rules)
        .filter(({ resourceNames }) => resourceNames?.includes('kube-system'));
    // Both processes read the identity of the cluster before anything else (docs/decisions/0015).
    expect(of((name) => name === found?.roleRef.name)).toHaveLength(1);
    expect(of((name) => name !== found?.roleRef.name)).toEqual([]);
  });

  test('may not make Pods, tokens or rights, nor act as somebody else', () => {
    const approver = 'temper-approver';
    const rules = some(objects, role)
      .filter(({ metadata }) => metadata.name !== approver)
      .flatMap((one) => one.rules);
    expect(rules.length).toBeGreaterThan(5);
    for (const { apiGroups, resources, verbs } of rules) {
      expect(apiGroups.filter((group) => POWERFUL_GROUPS.includes(group))).toEqual([]);
      expect(resources.filter((resource) => POWERFUL.includes(resource))).toEqual([]);
      expect(verbs.filter((verb) => ['*', 'escalate', 'bind', 'impersonate'].includes(verb))).toEqual([]);
    }
  });

  test('may update no Secret but the certificate of the webhooks, by its name', () => {
    const updatable = some(objects, role)
      .flatMap((one) => one.rules)
      .filter(({ resources, verbs }) => resources.includes('secrets') && verbs.includes('update'));
    const isOwn = folder.includes('self-managed') || folder.includes('one-namespace') || folder.includes('machine-api');
    expect(updatable.flatMap(({ resourceNames }) => resourceNames ?? ['all'])).toEqual(
      isOwn ? ['temper-webhook-server-cert'] : [],
    );
  });
});

test.each(['deploy/README.md', 'docs/security.md'])('%s names each file of the base with rights', (page) => {
  const folder = inRepository('deploy/kubernetes/base');
  const files = readdirSync(folder).filter((file) =>
    parseAllDocuments(readFileSync(join(folder, file), 'utf8')).some(
      (one) => z.object({ kind: z.literal('ClusterRoleBinding') }).safeParse(one.toJS()).success,
    ),
  );
  expect(files.length).toBeGreaterThan(3);
  const text = readFileSync(inRepository(page), 'utf8');
  expect(files.filter((file) => !text.includes(file))).toEqual([]);
});

test('names are followed in every installation', async () => {
  const objects = await rendered('clusterctl/infrastructure');
  const names = some(objects, named).filter(({ kind }) => kind.startsWith('ValidatingAdmissionPolicy'));
  expect(names.map(({ metadata }) => metadata.name).toSorted()).toEqual([
    'capm3-secrets',
    'capm3-secrets',
    'temper-approvals',
    'temper-approvals',
  ]);
});

/** Runs each write of Secrets under the policy, on a real API server with the real accounts. */
const RUNS = 'test/integration/account-rights/secret-writes.ts';

test('each file that sends something to Secrets is run under the policy', () => {
  const text = readFileSync(inRepository(RUNS), 'utf8');
  const run = [...text.matchAll(/from '(?:\.\.\/)+([^']+)'/g)].map(([, file]) => file);
  const files = productionFiles().filter((one) => /\bsecret(?:Path|Collection)\(/.test(one.text));
  expect(files.length).toBeGreaterThan(4);
  expect(files.map(({ file }) => file).filter((file) => !run.includes(file))).toEqual([]);
});
