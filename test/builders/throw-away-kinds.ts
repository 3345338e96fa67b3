import { setTimeout as sleep } from 'node:timers/promises';
import { isAlreadyExists, type Kube } from '../../kube/client.ts';
import { collectionPath, type Resource } from '../../kube/paths.ts';

export interface ThrowAwayKind extends Resource {
  readonly kind: string;
  /** Versions that are served, too, with the same fields; `apiVersion` is stored. */
  readonly olderVersions?: readonly string[];
}

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const PATIENCE_MS = 120_000;

/** Makes the API server accept objects of these kinds with any content, and returns when it does. */
export async function serveKinds(kube: Kube, kinds: readonly ThrowAwayKind[]): Promise<void> {
  for (const kind of kinds) {
    await kube.request({ method: 'POST', path: DEFINITIONS, body: definitionOf(kind) }).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }
  for (const kind of kinds) await untilServed(kube, kind);
}

async function untilServed(kube: Kube, kind: ThrowAwayKind): Promise<void> {
  for (const until = Date.now() + PATIENCE_MS; ; ) {
    try {
      await kube.request({ path: collectionPath(kind, 'default') });
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
    }
    await sleep(50);
  }
}

function definitionOf({ kind, apiVersion, plural, olderVersions = [] }: ThrowAwayKind): object {
  const [group = '', version = ''] = apiVersion.split('/');
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' },
    },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [version, ...olderVersions].map((name) => ({
        name,
        served: true,
        storage: name === version,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      })),
    },
  };
}
