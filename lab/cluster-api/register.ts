import { applyAllCrds } from '../control-plane/custom-resources.ts';
import { type Manifest, readManifestFile } from '../control-plane/manifest.ts';
import { withKube } from '../control-plane/objects.ts';
import { applyWebhooks, isWebhookConfiguration, type ServiceClient } from '../control-plane/webhook-configuration.ts';

interface Crd extends Manifest {
  readonly spec: {
    readonly conversion?: { readonly webhook?: { readonly clientConfig: ServiceClient } };
  };
}

/** The address and CA of the webhooks of one manager. */
export interface ManagerWebhooks {
  readonly port: number;
  readonly ca: string;
}

/**
 * Applies the released CRDs and webhooks of a manager, with addresses instead of Services. Returns when the CRDs are
 * served; until the manager runs, writes of its kinds are refused.
 */
export async function registerComponents(
  kubeconfig: string,
  manifests: string,
  server: ManagerWebhooks,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const objects = readManifestFile(manifests);
  const names = await applyAllCrds(
    kubeconfig,
    objects.filter(isCrd).map((crd) => withAddress(crd, server)),
    signal,
  );
  await withKube(kubeconfig, async (kube) => {
    for (const object of objects.filter(isWebhookConfiguration)) {
      await applyWebhooks(kube, object, ({ clientConfig }) => ({ clientConfig: addressOf(clientConfig, server) }));
    }
  });
  return names;
}

const isCrd = (object: Manifest): object is Crd => object.kind === 'CustomResourceDefinition';

function withAddress(crd: Crd, server: ManagerWebhooks): Crd {
  const { conversion } = crd.spec;
  if (conversion?.webhook === undefined) return crd;
  const clientConfig = addressOf(conversion.webhook.clientConfig, server);
  const spec = { ...crd.spec, conversion: { ...conversion, webhook: { ...conversion.webhook, clientConfig } } };
  return { ...crd, spec } as Crd;
}

const addressOf = ({ service }: ServiceClient, { port, ca }: ManagerWebhooks): object => ({
  url: `https://127.0.0.1:${port}${service.path}`,
  caBundle: Buffer.from(ca).toString('base64'),
});
