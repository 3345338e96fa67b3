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
const policyBinding = z.object({
  metadata,
  spec: z.object({ policyName: z.string(), paramRef: z.object({ name: lenientText }).optional() }),
});

/**
 * Commands that remove what is left of Temper outside of its objects. Unless it is the last one in the cluster, policies
 * that do not name its accounts may be those of another.
 */
export async function leftoverCommands(
  kube: Kube,
  { namespace, isLast }: { readonly namespace: string; readonly isLast: boolean },
): Promise<readonly string[]> {
  const clusterBindings = ofNamespace(await listAll(kube, `${RBAC}/clusterrolebindings`), namespace);
  const bindings = ofNamespace(await listAll(kube, `${RBAC}/rolebindings`), namespace).filter(
    (each) => each.metadata.namespace !== namespace,
  );
  const rolesOf = (of: readonly z.infer<typeof binding>[]): readonly string[] =>
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
      [...rolesOf(clusterBindings), ...rolesOf(bindings)].filter((name) => !name.startsWith('system:')),
    ),
    `kubectl delete namespace ${namespace}`,
  ];
}

const ofNamespace = (objects: readonly unknown[], namespace: string): readonly z.infer<typeof binding>[] =>
  objects
    .map((object) => binding.parse(object))
    .filter(({ subjects }) => subjects.length > 0 && subjects.every((each) => each.namespace === namespace));

const deletion = (kind: string, names: readonly string[]): readonly string[] =>
  names.length === 0 ? [] : [`kubectl delete ${kind} ${[...new Set(names)].toSorted().join(' ')}`];
