import { z } from 'zod';
import { type Manifest, readManifestFile } from '../../lab/control-plane/manifest.ts';
import { MANIFESTS } from '../../lab/rights.ts';

/** One verb of one resource that a role gives to an account. */
export interface Grant {
  /** Name of the ServiceAccount. */
  readonly account: string;
  readonly role: string;
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  /** Only in this namespace. */
  readonly namespace?: string;
  /** Only objects with these names. */
  readonly names?: readonly string[];
}

/** Rights to paths that are no resources are not compared: the API server itself serves none of them. */
const rule = z.object({
  apiGroups: z.array(z.string()).default([]),
  resources: z.array(z.string()).default([]),
  verbs: z.array(z.string()),
  resourceNames: z.array(z.string()).optional(),
});
const role = z.object({ kind: z.enum(['ClusterRole', 'Role']), rules: z.array(rule) });
const binding = z.object({
  kind: z.enum(['ClusterRoleBinding', 'RoleBinding']),
  roleRef: z.object({ kind: z.string(), name: z.string() }),
  subjects: z.array(z.object({ name: z.string() })),
});

/** The rights that the lab's roles, which are those of an installation, give to bridge and workers. */
export const granted = (): readonly Grant[] => grantsIn(MANIFESTS.flatMap((file) => readManifestFile(file)));

export function grantsIn(objects: readonly Manifest[]): readonly Grant[] {
  const rulesOf = (kind: string, name: string): readonly z.infer<typeof rule>[] =>
    objects.filter((one) => one.kind === kind && one.metadata.name === name).flatMap((one) => role.parse(one).rules);
  return objects
    .filter(({ kind }) => kind.endsWith('RoleBinding'))
    .flatMap((one) => {
      const { roleRef, subjects } = binding.parse(one);
      const { namespace } = one.metadata;
      const where = { role: roleRef.name, ...(namespace !== undefined && { namespace }) };
      const rules = rulesOf(roleRef.kind, roleRef.name);
      return subjects.flatMap(({ name: account }) =>
        rules.flatMap((each) => verbsOf(each).map((verb) => ({ account, ...where, ...verb }))),
      );
    });
}

const verbsOf = ({ apiGroups, resources, verbs, resourceNames: names }: z.infer<typeof rule>) =>
  apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.map((verb) => ({ group, resource, verb, ...(names !== undefined && { names }) })),
    ),
  );
