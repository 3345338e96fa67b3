import { stringify } from 'yaml';
import type { ImageName } from '../image/name.ts';

/** Components that are chosen by a value of their own, with the expression of Helm that chooses them. */
const OF_THEIR_OWN: Readonly<Record<string, string>> = {
  'cert-manager': 'eq $.Values.webhooks.certificates "cert-manager"',
  'self-managed': 'eq $.Values.webhooks.certificates "self-managed"',
  'one-namespace': '$.Values.namespaces',
  'temporal-tls': '$.Values.temporal.tls',
  'ironic-tls': '$.Values.ironic.tls',
};

export const expressionOf = (component: string): string =>
  OF_THEIR_OWN[component] ?? `has "${component}" $.Values.components`;

export interface Defaults {
  readonly image: ImageName;
  readonly replicas: { readonly bridge: number; readonly workers: number };
  readonly settings: Readonly<Record<string, string>>;
  /** All components. */
  readonly components: readonly string[];
  /** The names of all settings. */
  readonly settingNames: readonly string[];
}

/** The components that are chosen by their names. */
const chosen = (components: readonly string[]): readonly string[] =>
  components.filter((component) => OF_THEIR_OWN[component] === undefined);

/** `values.yaml`, with what each value is for. */
export function valuesFile({ image, replicas, settings, components }: Defaults): string {
  const text = (value: string | undefined): string => stringify(value ?? '').trimEnd();
  return `# The image of bridge and workers. A digest goes before the tag.
image:
  repository: ${text(image.repository)}
  tag: ${text(image.tag)}
  digest: ${text(image.digest)}
# Secrets with the login of its registry, such as [{ name: registry }].
imagePullSecrets: []
replicas:
  bridge: ${replicas.bridge}
  workers: ${replicas.workers}
# The namespaces that are watched, with rights in these alone, also to Secrets. Empty: all namespaces. They must exist.
namespaces: []
temporal:
  # host:port of its frontend.
  address: ${text(settings['TEMPORAL_ADDRESS'])}
  namespace: ${text(settings['TEMPORAL_NAMESPACE'])}
  # With the Secret temporal-client-cert (ca.crt, tls.crt, tls.key).
  tls: false
ironic:
  # Its login, if it has one, is in the Secret ironic-credentials (username, password).
  endpoint: ${text(settings['IRONIC_ENDPOINT'])}
  # With the Secret ironic-ca (tls.crt), and, if there is one, ironic-client-cert (tls.crt, tls.key).
  tls: false
webhooks:
  # cert-manager, or self-managed: the bridge makes the certificate itself.
  certificates: cert-manager
# Any of: ${chosen(components).join(', ')}.
# deploy/kubernetes/components says what each of them is for.
components: []
# Other settings, by their names in docs/configuration.md. Values are texts: "20".
settings: {}
nodeSelector: {}
tolerations: []
`;
}

/** `values.schema.json`: a misspelt value is refused before anything is installed. */
export function valuesSchema({ components, settingNames }: Defaults): object {
  const text = { type: 'string' };
  const flag = { type: 'boolean' };
  const object = (properties: Readonly<Record<string, object>>, required: readonly string[] = []): object => ({
    type: 'object',
    additionalProperties: false,
    properties,
    required,
  });
  const count = { type: 'integer', minimum: 1 };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...object({
      image: object({ repository: text, tag: text, digest: text }, ['repository']),
      imagePullSecrets: { type: 'array', items: object({ name: text }, ['name']) },
      replicas: object({ bridge: count, workers: count }),
      namespaces: { type: 'array', items: text, uniqueItems: true },
      temporal: object({ address: text, namespace: text, tls: flag }),
      ironic: object({ endpoint: text, tls: flag }),
      webhooks: object({ certificates: { enum: ['cert-manager', 'self-managed'] } }),
      components: { type: 'array', items: { enum: chosen(components) }, uniqueItems: true },
      settings: object(Object.fromEntries(settingNames.map((name) => [name, text]))),
      nodeSelector: { type: 'object', additionalProperties: text },
      tolerations: { type: 'array', items: { type: 'object' } },
      // What Helm and charts around this one may set.
      global: { type: 'object' },
    }),
  };
}
