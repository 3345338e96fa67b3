import { readdirSync } from 'node:fs';
import { execa } from 'execa';
import { beforeAll, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { kubectlPath, rendered, renderedWith } from '../builders/rendered.ts';

/**
 * What a user applies, judged by the API server's own admission: schemas, and the Pod Security Standard "restricted".
 */
const OVERLAYS = readdirSync(new URL('../../deploy/kubernetes/overlays', import.meta.url));
const INSTALLATIONS = [
  ...OVERLAYS.map((name) => `kubernetes/overlays/${name}`),
  'clusterctl/infrastructure',
  'clusterctl/ipam',
];

const object = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});
type Installed = z.infer<typeof object>;
const deployment = z.looseObject({ spec: z.looseObject({ template: z.looseObject({ spec: z.looseObject({}) }) }) });

/** Neither cert-manager nor the Prometheus operator is installed. The other tests use the CRDs and the lab's webhooks. */
const isApplied = ({ apiVersion, kind }: Installed): boolean =>
  !/^(cert-manager\.io|monitoring\.coreos\.com)\//.test(apiVersion) && kind !== 'CustomResourceDefinition';

let kubectl: string;
beforeAll(async () => {
  kubectl = await kubectlPath();
});

/** Applies objects as `kubectl apply` does, with unknown fields refused. Warnings are what it prints to stderr. */
async function apply(objects: readonly object[], ...options: readonly string[]) {
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
  // Other files have objects of the same names for a while.
  const args = ['apply', '--server-side', '--force-conflicts', '--validate=strict', ...options, '-f', '-'];
  const { exitCode, stderr } = await execa(kubectl, ['--kubeconfig', inject('kubeconfig'), ...args], {
    input,
    reject: false,
  });
  return { exitCode, stderr };
}
const ACCEPTED = { exitCode: 0, stderr: '' };

const podOf = ({ metadata, ...one }: Installed, change: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: metadata.name, namespace: metadata.namespace },
  spec: { ...deployment.parse(one).spec.template.spec, ...change },
});

/** The objects of an installation, whose namespaces and accounts exist from now on. */
async function begin(installation: Promise<readonly unknown[]>): Promise<readonly Installed[]> {
  const objects = z.array(object).parse(await installation);
  const first = objects.filter(({ kind }) => kind === 'Namespace' || kind === 'ServiceAccount');
  const watched = [...new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []))]
    .filter((name) => !first.some(({ metadata }) => metadata.name === name))
    .map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
  expect(await apply([...first, ...watched])).toEqual(ACCEPTED);
  return objects;
}
const deploymentsOf = (objects: readonly Installed[]) => objects.filter(({ kind }) => kind === 'Deployment');

// Dry runs, because these objects would redirect the webhooks of other tests.
test.each<[string, () => Promise<readonly unknown[]>]>([
  ...INSTALLATIONS.map((folder) => [folder, () => rendered(folder)] as [string, () => Promise<readonly unknown[]>]),
  ['more components', () => renderedWith('cert-manager', 'monitoring', 'proxy', 'traces')],
])('%s is accepted by the API server without a warning, also its Pods', async (_, render) => {
  const objects = await begin(render());
  const pods = deploymentsOf(objects).map((one) => podOf(one));
  expect(pods).toHaveLength(2);
  expect(await apply([...objects.filter(isApplied), ...pods], '--dry-run=server')).toEqual(ACCEPTED);
});

test('a Pod that breaks the Pod Security Standard "restricted" is refused in our namespace', async () => {
  const pods = deploymentsOf(await begin(rendered('kubernetes/overlays/cert-manager'))).map((one) =>
    podOf(one, { securityContext: { runAsNonRoot: true } }),
  );
  const { exitCode, stderr } = await apply(pods, '--dry-run=server');
  expect(exitCode).toBe(1);
  expect(stderr.match(/violates PodSecurity "restricted:latest": seccompProfile/g)).toHaveLength(pods.length);
});
