import { randomBytes } from 'node:crypto';
import { connect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { vi } from 'vitest';
import { startWebhooks, type Webhooks } from '../../../k8s-bridge/webhooks/webhooks.ts';
import { connectKube, isAlreadyExists, type Kube, KubeError } from '../../../kube/client.ts';
import { webhookConfigurationPath } from '../../../kube/paths.ts';
import { readManifestFile } from '../../../lab/control-plane/manifest.ts';
import { isWebhookConfiguration } from '../../../lab/control-plane/webhook-configuration.ts';
import { bridgeConfig, readConfig } from '../../../platform/config/config.ts';
import { accountsOf } from '../accounts.ts';

export const PATIENCE = { timeout: 600_000, interval: 200 };

/** A namespace whose BareMetalHosts and DataImages are validated by webhooks of the test. */
export interface Scene {
  readonly kube: Kube;
  readonly namespace: string;
  readonly configuration: string;
  /** Starts webhooks that check their certificate every 20 ms. */
  start(env: NodeJS.ProcessEnv): Promise<Webhooks>;
  /** Registers these webhooks at the API server; it refuses everything when they do not answer. */
  register(webhooks: Pick<Webhooks, 'port'>, caBundle?: string): Promise<void>;
  create(plural: string, object: object): Promise<string>;
  patch(plural: string, name: string, patch: object, subresource?: string): Promise<string>;
  /** Patches a host as a service account with these rights, and no others. */
  patchAs(rights: readonly object[], host: string, patch: object): Promise<string>;
  remove(plural: string, name: string): Promise<string>;
  end(): Promise<void>;
}

export async function openScene(kubeconfig: string): Promise<Scene> {
  const kube = connectKube(kubeconfig);
  const namespace = `webhooks-${randomBytes(4).toString('hex')}`;
  const configuration = namespace;
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  await kube.request({ method: 'POST', path: '/api/v1/namespaces', body });
  const started: Webhooks[] = [];
  const path = (plural: string, name?: string): string =>
    `/apis/metal3.io/v1alpha1/namespaces/${namespace}/${plural}${name === undefined ? '' : `/${name}`}`;

  return {
    kube,
    namespace,
    configuration,
    async start(env) {
      const own = {
        WEBHOOK_HOST: '127.0.0.1',
        POD_NAMESPACE: namespace,
        WEBHOOK_CONFIGURATION: configuration,
        WEBHOOK_MUTATING_CONFIGURATION: configuration,
      };
      const config = { ...readConfig(bridgeConfig, { ...own, ...env }), WEBHOOK_PORT: 0 };
      const log = pino({ level: process.env['LOG_LEVEL'] ?? 'silent' });
      const webhooks = await startWebhooks({
        kube,
        config,
        log,
        record: () => undefined,
        onRead: () => undefined,
        lookEveryMs: 20,
      });
      started.push(webhooks);
      return webhooks;
    },
    async register({ port }, caBundle) {
      const webhook = (kind: string, plural: string) => ({
        name: `${kind}.metal3.io`,
        admissionReviewVersions: ['v1'],
        clientConfig: {
          url: `https://127.0.0.1:${port}/validate-metal3-io-v1alpha1-${kind}`,
          ...(caBundle !== undefined && { caBundle: Buffer.from(caBundle).toString('base64') }),
        },
        failurePolicy: 'Fail',
        matchConditions: conditionsOf(`${kind}.metal3.io`),
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        rules: [
          {
            apiGroups: ['metal3.io'],
            apiVersions: ['v1alpha1'],
            operations: ['CREATE', 'UPDATE'],
            resources: [plural],
          },
        ],
        sideEffects: 'None',
      });
      const object = {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: configuration },
        webhooks: [webhook('baremetalhost', 'baremetalhosts'), webhook('dataimage', 'dataimages')],
      };
      await kube.request({ method: 'POST', path: webhookConfigurationPath('').replace(/\/$/, ''), body: object });
      const none = { ...object, kind: 'MutatingWebhookConfiguration', webhooks: [] };
      const mutating = webhookConfigurationPath('', 'mutating').replace(/\/$/, '');
      await kube.request({ method: 'POST', path: mutating, body: none }).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    },
    create: (plural, object) => said(kube.request({ method: 'POST', path: path(plural), body: object })),
    patch: (plural, name, patch, subresource = '') => said(kube.patch(`${path(plural, name)}${subresource}`, patch)),
    async patchAs(rules, host, patch) {
      const accounts = accountsOf(kube, kubeconfig);
      const name = `writer-${randomBytes(4).toString('hex')}`;
      const token = await accounts.tokenOf(namespace, name);
      for (const [index, rule] of rules.entries()) await accounts.bind(namespace, name, `${name}-${index}`, rule);
      const own = connectKube(await accounts.kubeconfigOf(token));
      try {
        return await said(own.patch(path('baremetalhosts', host), patch));
      } finally {
        await own.close();
      }
    },
    remove: (plural, name) => said(kube.request({ method: 'DELETE', path: path(plural, name) })),
    async end() {
      for (const webhooks of started) await webhooks.close();
      for (const verb of ['validating', 'mutating'] as const) {
        const path = webhookConfigurationPath(configuration, verb);
        await kube.request({ method: 'DELETE', path }).catch(() => undefined);
      }
      await kube.close();
    },
  };
}

const MANIFESTS = fileURLToPath(new URL('../../../deploy/kubernetes/base/webhooks.yaml', import.meta.url));
/** The conditions under which the API server asks this webhook, as they are deployed. */
const conditionsOf = (webhook: string): unknown =>
  readManifestFile(MANIFESTS)
    .filter(isWebhookConfiguration)
    .flatMap(({ webhooks }) => webhooks)
    .find(({ name }) => name === webhook)?.matchConditions ?? [];

/** The API server's first refusal of a bad host: it learns of webhooks a moment after they are registered. */
export const firstRefusal = (scene: Scene): Promise<string> =>
  vi.waitFor(async () => {
    const answer = await scene.create('baremetalhosts', {
      apiVersion: 'metal3.io/v1alpha1',
      kind: 'BareMetalHost',
      metadata: { generateName: 'bad-' },
      spec: { online: true, firmware: {} },
    });
    if (!answer.startsWith('403 admission')) throw new Error(answer);
    return answer;
  }, PATIENCE);

/** 'accepted', or the message for the user. */
async function said(request: Promise<unknown>): Promise<string> {
  try {
    await request;
    return 'accepted';
  } catch (error) {
    if (error instanceof KubeError) return error.message.replace(/^\w+ \S+: /, '');
    throw error;
  }
}

/** The message of a refusal as the API server returns it. */
export const refusedBy = (webhook: string, message: string): string =>
  `403 admission webhook "${webhook}.metal3.io" denied the request: ${message}`;

/** The serial number of the current certificate; accepts any certificate. */
export function servedSerial({ port }: Webhooks): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
    resolve(socket.getPeerCertificate().serialNumber);
    socket.end();
  });
  socket.on('error', reject);
  return promise;
}
