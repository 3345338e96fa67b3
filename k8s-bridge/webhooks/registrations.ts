import { z } from 'zod';
import { convertedDefinitions } from '../../api/crds.ts';
import type { Kube } from '../../kube/client.ts';
import { definitionPath, webhookConfigurationPath } from '../../kube/paths.ts';

export interface RegistrationNames {
  /** Names of the two webhook configurations. */
  readonly validating: string;
  readonly mutating: string;
}

/** A registration of our webhooks at the API server, with their address and CA. */
export interface WebhookRegistration {
  /** Our names in the registration: of Services in the cluster, or hosts of URLs. */
  readonly names: readonly string[];
  /** The trusted CAs in PEM, for each webhook in the registration. */
  readonly bundles: readonly string[];
  readonly path: string;
  /** A merge patch that adds this CA, valid only for the version that was read. */
  readonly trusting: (ca: string) => object;
}

/** All registrations: both configurations, and those of our CRDs whose objects the same webhooks convert. */
export async function readRegistrations(kube: Kube, names: RegistrationNames): Promise<readonly WebhookRegistration[]> {
  const configurations = await Promise.all([
    readConfiguration(kube, 'ValidatingWebhookConfiguration', webhookConfigurationPath(names.validating)),
    readConfiguration(kube, 'MutatingWebhookConfiguration', webhookConfigurationPath(names.mutating, 'mutating')),
  ]);
  const ours = new Set(configurations.flatMap(({ places }) => places));
  const definitions = await Promise.all(convertedDefinitions.map((name) => readDefinition(kube, name)));
  return [...configurations, ...definitions.filter(({ places }) => places.some((place) => ours.has(place)))];
}

/** Makes this CA the only one that the API server trusts for our webhooks. */
export async function trust(kube: Kube, registrations: readonly WebhookRegistration[], ca: string): Promise<void> {
  for (const { bundles, path, trusting } of registrations) {
    if (bundles.some((bundle) => bundle !== ca)) await kube.patch(path, trusting(ca));
  }
}

const clientConfig = z.looseObject({
  caBundle: z.string().default(''),
  url: z.string().optional(),
  service: z.looseObject({ name: z.string(), namespace: z.string() }).optional(),
});
type ClientConfig = z.infer<typeof clientConfig>;
const metadata = z.object({ resourceVersion: z.string() });
const configurationSchema = z.object({
  metadata,
  webhooks: z.array(z.looseObject({ clientConfig })).default([]),
});
const definitionSchema = z.object({
  metadata,
  spec: z.object({ conversion: z.object({ webhook: z.object({ clientConfig }).optional() }).default({}) }),
});

interface Found extends WebhookRegistration {
  /** The webhooks of a Service, or of host and port of a URL. */
  readonly places: readonly string[];
}

async function readConfiguration(kube: Kube, kind: string, path: string): Promise<Found> {
  const found = await kube.find(path);
  if (found === undefined) throw new Error(`there is no ${kind} ${path.split('/').at(-1) ?? ''}`);
  const { metadata: version, webhooks } = configurationSchema.parse(found);
  return {
    ...seenIn(webhooks.map((webhook) => webhook.clientConfig)),
    path,
    trusting: (ca) => ({
      metadata: version,
      webhooks: webhooks.map((webhook) => ({
        ...webhook,
        clientConfig: { ...webhook.clientConfig, caBundle: encode(ca) },
      })),
    }),
  };
}

/** A CRD that does not exist, or has no conversion webhook, has no addresses. */
async function readDefinition(kube: Kube, name: string): Promise<Found> {
  const path = definitionPath(name);
  const found = await kube.find(path);
  const { metadata: version, spec } = found === undefined ? NO_DEFINITION : definitionSchema.parse(found);
  const { webhook } = spec.conversion;
  return {
    ...seenIn(webhook === undefined ? [] : [webhook.clientConfig]),
    path,
    trusting: (ca) => ({
      metadata: version,
      spec: { conversion: { webhook: { clientConfig: { caBundle: encode(ca) } } } },
    }),
  };
}

const NO_DEFINITION: z.infer<typeof definitionSchema> = { metadata: { resourceVersion: '' }, spec: { conversion: {} } };

const seenIn = (configs: readonly ClientConfig[]): Pick<Found, 'names' | 'bundles' | 'places'> => ({
  names: configs.flatMap(nameIn),
  bundles: configs.map(({ caBundle }) => decode(caBundle)),
  places: configs.map(placeOf),
});

/** The name of a Service in the cluster, or the host of a URL. */
function nameIn({ url, service }: ClientConfig): readonly string[] {
  if (service !== undefined) return [`${service.name}.${service.namespace}.svc`];
  return url === undefined ? [] : [new URL(url).hostname.replace(/^\[|\]$/g, '')];
}

const placeOf = ({ url, service }: ClientConfig): string =>
  service === undefined ? new URL(url ?? 'https://nowhere').host : `${service.name}.${service.namespace}.svc`;

const encode = (text: string): string => Buffer.from(text).toString('base64');
const decode = (text: string): string => Buffer.from(text, 'base64').toString();
