import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { MACHINE_API_MACHINES } from '../../kube/kinds.ts';
import { rendered } from '../../test/builders/rendered.ts';

const rules = z.array(z.looseObject({ apiGroups: z.array(z.string()), resources: z.array(z.string()) })).default([]);
const policy = z.object({
  kind: z.literal('ValidatingAdmissionPolicy'),
  metadata: z.object({ name: z.literal('temper-approvals') }),
  spec: z.object({ matchConstraints: z.object({ resourceRules: rules }) }),
});
const binding = z.object({
  kind: z.literal('ValidatingAdmissionPolicyBinding'),
  spec: z.object({
    policyName: z.string(),
    matchResources: z.object({ resourceRules: rules, excludeResourceRules: rules }).optional(),
  }),
});
const role = z.object({
  kind: z.literal('ClusterRole'),
  metadata: z.object({ name: z.literal('temper-approver') }),
  rules,
});

const roles = z.object({ kind: z.enum(['ClusterRole', 'Role']), rules });

const GUARDED = [
  'metal3.io/baremetalhosts',
  'infrastructure.cluster.x-k8s.io/metal3machines',
  'cluster.x-k8s.io/clusters',
  '/namespaces',
];
/** Requests to them write annotations of a namespace; those of custom resources write none. */
const SUBRESOURCES = ['/namespaces/status', '/namespaces/finalize'];
const MACHINES = MACHINE_API_MACHINES.map(({ apiVersion, plural }) => `${apiVersion.split('/')[0]}/${plural}`);
const named = (found: z.infer<typeof rules>): readonly string[] =>
  found.flatMap(({ apiGroups, resources }) => apiGroups.flatMap((group) => resources.map((one) => `${group}/${one}`)));

/** The resources whose annotations about approvals are checked: those of the policies, as far as their bindings select them. */
function checkedIn(objects: readonly unknown[]): readonly string[] {
  const policies = objects.flatMap((one) => policy.safeParse(one).data ?? []);
  const bindings = objects.flatMap((one) => binding.safeParse(one).data ?? []);
  return bindings.flatMap(({ spec: { policyName, matchResources } }) => {
    const { resourceRules = [], excludeResourceRules = [] } = matchResources ?? {};
    const [only, without] = [named(resourceRules), named(excludeResourceRules)];
    return policies
      .filter(({ metadata }) => metadata.name === policyName)
      .flatMap(({ spec }) => named(spec.matchConstraints.resourceRules))
      .filter((each) => (only.length === 0 || only.includes(each)) && !without.includes(each));
  });
}

describe('annotations about approvals', async () => {
  const base = await rendered('kubernetes/base');
  const withMachineApi = await rendered('kubernetes/overlays/machine-api');

  test('are checked on Machines of the Machine API only where these are followed, and everywhere once', () => {
    const always = [...GUARDED, ...SUBRESOURCES];
    expect(checkedIn(base).toSorted()).toEqual(always.toSorted());
    expect(checkedIn(withMachineApi).toSorted()).toEqual([...always, ...MACHINES].toSorted());
  });

  test('are answered for others by the bridge only with its component', () => {
    const impersonating = (objects: readonly unknown[]) =>
      objects
        .flatMap((one) => roles.safeParse(one).data ?? [])
        .filter(({ rules: found }) => /impersonate/.test(JSON.stringify(found)));
    expect([...impersonating(base), ...impersonating(withMachineApi)]).toEqual([]);
    const file = new URL('components/approvals-by-message/roles.yaml', import.meta.url);
    const added = parseAllDocuments(readFileSync(file, 'utf8')).map((document) => document.toJS() as unknown);
    expect(impersonating(added).flatMap((one) => named(one.rules))).toEqual(['metal3.io/baremetalhosts/approval']);
  });

  test('may be changed by approvers on each of these kinds', () => {
    const [approver] = base.flatMap((one) => role.safeParse(one).data ?? []);
    const rights = [...GUARDED, ...MACHINES].map((each) => `${each}/approval`);
    expect(named(approver?.rules ?? []).toSorted()).toEqual(rights.toSorted());
  });
});
