import { z } from 'zod';
import { objectMeta } from '../../api/meta/object-meta.ts';
import { createAuthority, issueCertificate, type KeyPair } from '../../platform/certificates.ts';
import { isAlreadyExists, isConflict, type Kube } from '../../platform/kube.ts';
import { secretCollection, secretPath, webhookConfigurationPath } from '../../platform/kube-paths.ts';
import {
  AUTHORITY_LIFETIME_MS,
  nextTask,
  type OwnCertificate,
  SERVING_LIFETIME_MS,
  stillTrusted,
} from './own-certificate.ts';

export interface OwnCertificateOptions {
  readonly kube: Kube;
  /** Where the Secret is. */
  readonly namespace: string;
  readonly configuration: string;
  readonly now: () => number;
}

export const OWN_SECRET = 'temper-webhook-server-cert';
/** Tasks in one go; more than there are, for replicas that are in each other's way. */
const TASKS = 12;

/**
 * Brings Secret and ValidatingWebhookConfiguration to where a certificate can be served, and answers with it. Every
 * replica does this; each write names the version it was made from, so the first one decides and the others follow.
 */
export async function keepOwnCertificate(options: OwnCertificateOptions): Promise<KeyPair> {
  for (let done = 0; done < TASKS; done += 1) {
    const [configuration, secret] = await Promise.all([readConfiguration(options), readSecret(options)]);
    const served = await oneTask(options, configuration, secret).catch((error: unknown) => {
      if (isConflict(error) || isAlreadyExists(error)) return undefined;
      throw error;
    });
    if (served !== undefined) return served;
  }
  throw new Error('others keep changing the webhook’s certificate or its configuration');
}

async function oneTask(
  options: OwnCertificateOptions,
  configuration: Configuration,
  secret: Secret,
): Promise<KeyPair | undefined> {
  const { own } = secret;
  const names = namesIn(configuration);
  const bundles = configuration.webhooks.map(({ clientConfig }) => decode(clientConfig.caBundle));
  const task = nextTask(own, { names, bundles, now: options.now() });
  switch (task) {
    case 'serve':
      return own?.serving;
    case 'tell whom to trust':
      await trust(options, configuration, own?.ca ?? '');
      return undefined;
    case 'make an authority': {
      const authority = await createAuthority('CN=temper-webhooks', AUTHORITY_LIFETIME_MS);
      const ca = [authority.cert, ...stillTrusted(own?.ca ?? '', options.now())].join('');
      const serving = own?.serving ?? { cert: '', key: '' };
      await writeSecret(options, secret, { ca, caKey: authority.key, serving });
      return undefined;
    }
    case 'sign a certificate': {
      const { ca = '', caKey = '' } = own ?? {};
      const order = {
        subject: 'CN=temper-webhooks',
        usages: ['serverAuth'],
        names,
        lifetimeMs: SERVING_LIFETIME_MS,
      } as const;
      await writeSecret(options, secret, {
        ca,
        caKey,
        serving: await issueCertificate({ cert: ca, key: caKey }, order),
      });
      return undefined;
    }
  }
}

const configurationSchema = z.object({
  metadata: z.object({ resourceVersion: z.string() }),
  webhooks: z
    .array(
      z.looseObject({
        clientConfig: z.looseObject({
          caBundle: z.string().default(''),
          url: z.string().optional(),
          service: z.looseObject({ name: z.string(), namespace: z.string() }).optional(),
        }),
      }),
    )
    .default([]),
});
type Configuration = z.infer<typeof configurationSchema>;

async function readConfiguration({ kube, configuration }: OwnCertificateOptions): Promise<Configuration> {
  const found = await kube.find(webhookConfigurationPath(configuration));
  if (found === undefined) throw new Error(`there is no ValidatingWebhookConfiguration ${configuration}`);
  return configurationSchema.parse(found);
}

/** A Service is called by its name in the cluster, a URL by its host. */
function namesIn({ webhooks }: Configuration): readonly string[] {
  const names = webhooks.flatMap(({ clientConfig: { url, service } }) => {
    if (service !== undefined) return [`${service.name}.${service.namespace}.svc`];
    return url === undefined ? [] : [new URL(url).hostname.replace(/^\[|\]$/g, '')];
  });
  return [...new Set(names)].toSorted();
}

const trust = ({ kube, configuration }: OwnCertificateOptions, { metadata, webhooks }: Configuration, ca: string) =>
  kube.patch(webhookConfigurationPath(configuration), {
    metadata,
    webhooks: webhooks.map((webhook) => ({
      ...webhook,
      clientConfig: { ...webhook.clientConfig, caBundle: encode(ca) },
    })),
  });

const secretSchema = z.object({
  metadata: objectMeta.extend({ resourceVersion: z.string() }),
  data: z.record(z.string(), z.string()).default({}),
});

interface Secret {
  readonly own: OwnCertificate | undefined;
  /** undefined: there is none yet. */
  readonly resourceVersion?: string;
}

async function readSecret({ kube, namespace }: OwnCertificateOptions): Promise<Secret> {
  const found = await kube.find(secretPath({ namespace, name: OWN_SECRET }));
  if (found === undefined) return { own: undefined };
  const { metadata, data } = secretSchema.parse(found);
  const text = (key: string): string => decode(data[key] ?? '');
  const own = {
    ca: text('ca.crt'),
    caKey: text('ca.key'),
    serving: { cert: text('tls.crt'), key: text('tls.key') },
  };
  return { own, resourceVersion: metadata.resourceVersion };
}

async function writeSecret(
  { kube, namespace }: OwnCertificateOptions,
  before: Secret,
  own: OwnCertificate,
): Promise<void> {
  const { resourceVersion } = before;
  const body = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name: OWN_SECRET, ...(resourceVersion !== undefined && { resourceVersion }) },
    data: {
      'ca.crt': encode(own.ca),
      'ca.key': encode(own.caKey),
      'tls.crt': encode(own.serving.cert),
      'tls.key': encode(own.serving.key),
    },
  };
  if (resourceVersion === undefined) await kube.request({ method: 'POST', path: secretCollection(namespace), body });
  else await kube.request({ method: 'PUT', path: secretPath({ namespace, name: OWN_SECRET }), body });
}

const encode = (text: string): string => Buffer.from(text).toString('base64');
const decode = (text: string): string => Buffer.from(text, 'base64').toString();
