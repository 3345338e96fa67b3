import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { type Resource, versionPath } from '../../kube/paths.ts';

const groupOf = (apiVersion: string): string => apiVersion.split('/')[0] ?? '';

/** What an API server answers about the kinds that it serves, by path. */
export function discoveryOf(
  kinds: readonly (Resource & Partial<FollowedKind>)[] = Object.values(KINDS),
): Readonly<Record<string, object>> {
  const versions = [...new Set(kinds.map(({ apiVersion }) => apiVersion))].filter((version) => version.includes('/'));
  const groups = [...new Set(versions.map(groupOf))].map((name) => ({
    name,
    versions: versions
      .filter((version) => groupOf(version) === name)
      .map((groupVersion) => ({ groupVersion, version: groupVersion.split('/')[1] })),
  }));
  const resourcesOf = (version: string): object[] =>
    kinds
      .filter(({ apiVersion }) => apiVersion === version)
      .map(({ plural, kind = plural, apiKind = kind }) => ({ name: plural, kind: apiKind, namespaced: true }));
  return {
    '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups },
    ...Object.fromEntries(
      versions.map((groupVersion) => [
        versionPath({ apiVersion: groupVersion }),
        { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: resourcesOf(groupVersion) },
      ]),
    ),
  };
}
