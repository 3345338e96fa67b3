import { z } from 'zod';
import { lenientText } from '../../api/meta/lenient.ts';
import type { Kube } from '../../kube/client.ts';
import { listAll } from '../../kube/list-all.ts';
import { type Metadata, metadata, readMetadata } from '../../kube/objects/metadata.ts';
import { type ClusterKind, isOfManifests } from './names.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';

const binding = z.object({
  metadata,
  roleRef: z.object({ kind: z.string(), name: z.string() }),
  subjects: z.array(z.object({ kind: lenientText, namespace: lenientText })).catch([]),
});
type Binding = z.infer<typeof binding>;
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
  const isNamed = (kind: ClusterKind, name: string): boolean => isLast && isOfManifests(kind, name);
  const [clusterBindings, otherClusterBindings] = partition(
    await bindingsAt(kube, `${RBAC}/clusterrolebindings`),
    (each) => isOf(namespace, each) || isNamed('ClusterRoleBinding', each.metadata.name),
  );
  const elsewhere = (await bindingsAt(kube, `${RBAC}/rolebindings`)).filter(
    (each) => each.metadata.namespace !== namespace,
  );
  const [bindings, otherBindings] = partition(elsewhere, (each) => isOf(namespace, each));
  const bound = rolesOf([...clusterBindings, ...bindings]);
  const boundByOthers = rolesOf([...otherClusterBindings, ...otherBindings]);
  const roles = (await listAll(kube, `${RBAC}/clusterroles`))
    .map(readMetadata)
    // Roles for people and for Prometheus are bound to no account of Temper.
    .filter(({ name }) => isNamed('ClusterRole', name) || (bound.has(name) && !boundByOthers.has(name)))
    .filter((role) => !isOfKubernetes(role));
  const names = clusterBindings.map((each) => each.metadata.name);
  const policies = (await listAll(kube, `${ADMISSION}/validatingadmissionpolicybindings`))
    .map((object) => policyBinding.parse(object))
    .filter(
      ({ spec }) => names.includes(spec.paramRef?.name ?? '') || isNamed('ValidatingAdmissionPolicy', spec.policyName),
    );
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
    ...deletion(
      'clusterrole',
      roles.map(({ name }) => name),
    ),
    `kubectl delete namespace ${namespace}`,
  ];
}

const bindingsAt = async (kube: Kube, path: string): Promise<readonly Binding[]> =>
  (await listAll(kube, path)).map((object) => binding.parse(object));

const isOf = (namespace: string, { subjects }: Binding): boolean =>
  subjects.length > 0 && subjects.every((each) => each.namespace === namespace);

const partition = <T>(all: readonly T[], isIn: (each: T) => boolean): readonly [readonly T[], readonly T[]] => [
  all.filter(isIn),
  all.filter((each) => !isIn(each)),
];

const rolesOf = (of: readonly Binding[]): ReadonlySet<string> =>
  new Set(of.filter(({ roleRef }) => roleRef.kind === 'ClusterRole').map(({ roleRef }) => roleRef.name));

/** Some of them are bound to no one but Temper: `view`. */
const isOfKubernetes = ({ name, labels }: Metadata): boolean =>
  name.startsWith('system:') || 'kubernetes.io/bootstrapping' in labels;

const deletion = (kind: string, names: readonly string[]): readonly string[] =>
  names.length === 0 ? [] : [`kubectl delete ${kind} ${[...new Set(names)].toSorted().join(' ')}`];
