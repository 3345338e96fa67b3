import { isAlreadyExists, isConflict, type Kube } from '../../kube/client.ts';
import { readSecretObject, textOf } from '../../kube/objects/secret.ts';
import { secretCollection, secretPath } from '../../kube/paths.ts';
import { createAuthority, issueCertificate, type KeyPair } from '../../platform/tls/certificates.ts';
import {
  AUTHORITY_LIFETIME_MS,
  nextTask,
  type OwnCertificate,
  SERVING_LIFETIME_MS,
  stillTrusted,
} from './own-certificate.ts';
import { type RegistrationNames, readRegistrations, trust, type WebhookRegistration } from './registrations.ts';

export interface OwnCertificateOptions extends RegistrationNames {
  readonly kube: Kube;
  /** Namespace of the Secret. */
  readonly namespace: string;
  readonly now: () => number;
}

export const OWN_SECRET = 'temper-webhook-server-cert';
/** Limit of tasks in one run: more than needed, because replicas may conflict. */
const TASKS = 40;

/**
 * Brings the Secret and all registrations of our webhooks to a state in which a certificate can be served, and returns
 * it. Every replica does this; each write carries the version on which it is based, so the first one succeeds and the
 * others read again.
 */
export async function keepOwnCertificate(options: OwnCertificateOptions): Promise<KeyPair> {
  for (let done = 0; done < TASKS; done += 1) {
    const [registrations, secret] = await Promise.all([readRegistrations(options.kube, options), readSecret(options)]);
    const served = await oneTask(options, registrations, secret).catch((error: unknown) => {
      if (isConflict(error) || isAlreadyExists(error)) return undefined;
      throw error;
    });
    if (served !== undefined) return served;
  }
  throw new Error('other replicas keep changing the webhook certificate or its configuration');
}

async function oneTask(
  options: OwnCertificateOptions,
  registrations: readonly WebhookRegistration[],
  secret: Secret,
): Promise<KeyPair | undefined> {
  const { own } = secret;
  const names = [...new Set(registrations.flatMap((registration) => registration.names))].toSorted();
  const bundles = registrations.flatMap((registration) => registration.bundles);
  const task = nextTask(own, { names, bundles, now: options.now() });
  switch (task) {
    case 'serve':
      return own?.serving;
    case 'publish the CA':
      await trust(options.kube, registrations, own?.ca ?? '');
      return undefined;
    case 'create a CA': {
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

interface Secret {
  readonly own: OwnCertificate | undefined;
  /** undefined: the Secret does not exist yet. */
  readonly resourceVersion?: string;
}

async function readSecret({ kube, namespace }: OwnCertificateOptions): Promise<Secret> {
  const found = await kube.find(secretPath({ namespace, name: OWN_SECRET }));
  if (found === undefined) return { own: undefined };
  const secret = readSecretObject(found);
  const text = (key: string): string => textOf(secret, key) ?? '';
  const own = {
    ca: text('ca.crt'),
    caKey: text('ca.key'),
    serving: { cert: text('tls.crt'), key: text('tls.key') },
  };
  return { own, resourceVersion: secret.metadata.resourceVersion };
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
