import { z } from 'zod';
import { convertedDefinitions } from '../../api/crds.ts';
import type { Kube } from '../../kube/client.ts';
import { definitionPath, webhookConfigurationPath } from '../../kube/paths.ts';

export interface RegistrationNames {
  /** Names of the two configurations that tell the API server of our webhooks. */
  readonly validating: string;
  readonly mutating: string;
}

/** A place that tells the API server where our webhooks are and whom to trust there. */
export interface Registration {
  /** Whom we are called by there: names of Services in the cluster, hosts of URLs. */
  readonly names: readonly string[];
  /** PEM of the trusted authorities, for each webhook in it. */
  readonly bundles: readonly string[];
  readonly path: string;
  /** A merge patch after which this authority is trusted; of nobody else's version but the one that was read. */
  readonly trusting: (ca: string) => object;
}

/** All of them: both configurations, and those of our CRDs that have their objects converted by the same webhooks. */
export async function readRegistrations(kube: Kube, names: RegistrationNames): Promise<readonly Registration[]> {
  const configurations = await Promise.all([
    readConfiguration(kube, 'ValidatingWebhookConfiguration', webhookConfigurationPath(names.validating)),
    readConfiguration(kube, 'MutatingWebhookConfiguration', webhookConfigurationPath(names.mutating, 'mutating')),
  ]);
  const ours = new Set(configurations.flatMap(({ places }) => places));
  const definitions = await Promise.all(convertedDefinitions.map((name) => readDefinition(kube, name)));
  return [...configurations, ...definitions.filter(({ places }) => places.some((place) => ours.has(place)))];
}

/** Where the API server does not trust this authority and nobody else yet. */
export async function trust(kube: Kube, registrations: readonly Registration[], ca: string): Promise<void> {
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

interface Found extends Registration {
  /** Whose the webhooks are: a Service, or host and port of a URL. */
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

/** A CRD that is not there, or that is not converted by webhooks, has no places. */
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

/** A Service is called by its name in the cluster, a URL by its host. */
function nameIn({ url, service }: ClientConfig): readonly string[] {
  if (service !== undefined) return [`${service.name}.${service.namespace}.svc`];
  return url === undefined ? [] : [new URL(url).hostname.replace(/^\[|\]$/g, '')];
}

const placeOf = ({ url, service }: ClientConfig): string =>
  service === undefined ? new URL(url ?? 'https://nowhere').host : `${service.name}.${service.namespace}.svc`;

const encode = (text: string): string => Buffer.from(text).toString('base64');
const decode = (text: string): string => Buffer.from(text, 'base64').toString();
