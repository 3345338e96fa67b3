import { z } from 'zod';
import { lenientText } from '../../api/meta/lenient.ts';
import type { Kube } from '../../kube/client.ts';
import { listAll } from '../../kube/list-all.ts';
import { metadata } from '../../kube/objects/metadata.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';

const binding = z.object({
  metadata,
  roleRef: z.object({ kind: z.string(), name: z.string() }),
  subjects: z.array(z.object({ kind: lenientText, namespace: lenientText })).catch([]),
});
type Binding = z.infer<typeof binding>;
const named = z.object({ metadata });
const policyBinding = z.object({
  metadata,
  spec: z.object({ policyName: z.string(), paramRef: z.object({ name: lenientText }).optional() }),
});

/**
 * Commands that remove what is left of Temper outside of its objects. Unless it is the last one in the cluster, policies
 * and roles that are not for its accounts may be those of another.
 */
export async function leftoverCommands(
  kube: Kube,
  { namespace, isLast }: { readonly namespace: string; readonly isLast: boolean },
): Promise<readonly string[]> {
  const isNamed = (each: z.infer<typeof named>): boolean => isLast && each.metadata.name.includes('temper');
  const clusterBindings = (await bindingsAt(kube, `${RBAC}/clusterrolebindings`)).filter(
    (each) => isOf(namespace, each) || isNamed(each),
  );
  const bindings = (await bindingsAt(kube, `${RBAC}/rolebindings`)).filter(
    (each) => isOf(namespace, each) && each.metadata.namespace !== namespace,
  );
  // Of people and of Prometheus.
  const roles = (await listAll(kube, `${RBAC}/clusterroles`)).map((object) => named.parse(object)).filter(isNamed);
  const rolesOf = (of: readonly Binding[]): readonly string[] =>
    of.filter(({ roleRef }) => roleRef.kind === 'ClusterRole').map(({ roleRef }) => roleRef.name);
  const names = clusterBindings.map((each) => each.metadata.name);
  const policies = (await listAll(kube, `${ADMISSION}/validatingadmissionpolicybindings`))
    .map((object) => policyBinding.parse(object))
    .filter(({ spec }) => names.includes(spec.paramRef?.name ?? '') || (isLast && spec.policyName.includes('temper')));
  return [
    ...deletion(
      'validatingadmissionpolicybinding',
      policies.map((each) => each.metadata.name),
    ),
    ...deletion(
      'validatingadmissionpolicy',
      policies.map(({ spec }) => spec.policyName),
    ),
    ...bindings.map((each) => `kubectl delete rolebinding -n ${each.metadata.namespace} ${each.metadata.name}`),
    ...deletion('clusterrolebinding', names),
    // Roles of Kubernetes itself are bound, too.
    ...deletion(
      'clusterrole',
      [...roles.map((each) => each.metadata.name), ...rolesOf(clusterBindings), ...rolesOf(bindings)].filter(
        (name) => !name.startsWith('system:'),
      ),
    ),
    `kubectl delete namespace ${namespace}`,
  ];
}

const bindingsAt = async (kube: Kube, path: string): Promise<readonly Binding[]> =>
  (await listAll(kube, path)).map((object) => binding.parse(object));

const isOf = (namespace: string, { subjects }: Binding): boolean =>
  subjects.length > 0 && subjects.every((each) => each.namespace === namespace);

const deletion = (kind: string, names: readonly string[]): readonly string[] =>
  names.length === 0 ? [] : [`kubectl delete ${kind} ${[...new Set(names)].toSorted().join(' ')}`];
