import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { MACHINE_API_MACHINES } from '../../kube/kinds.ts';
import { rendered } from '../../test/builders/rendered.ts';

const rules = z.array(z.object({ apiGroups: z.array(z.string()), resources: z.array(z.string()) })).default([]);
const policy = z.object({
  kind: z.literal('ValidatingAdmissionPolicy'),
  metadata: z.object({ name: z.string() }),
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

  test('may be changed by approvers on each of these kinds', () => {
    const [approver] = base.flatMap((one) => role.safeParse(one).data ?? []);
    const rights = [...GUARDED, ...MACHINES].map((each) => `${each}/approval`);
    expect(named(approver?.rules ?? []).toSorted()).toEqual(rights.toSorted());
  });
});
