import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Document, isMap, isSeq, parseAllDocuments } from 'yaml';

const ROOT = join(import.meta.dirname, '..', '..');
const HEADER = '# Made by `npm run package`.\n';

const PROVIDER = { 'cluster.x-k8s.io/provider': 'infrastructure-metal3' };
const SERVICE = { namespace: 'capm3-system', name: 'capm3-webhook-service' };
const CERTIFICATE = { 'cert-manager.io/inject-ca-from': 'capm3-system/capm3-serving-cert' };

/** clusterctl moves hosts, and the Secrets that they own, only with these labels on their CRD. */
const MOVED_WITH_WHAT_IT_OWNS = { 'clusterctl.cluster.x-k8s.io': '', 'clusterctl.cluster.x-k8s.io/move-hierarchy': '' };
const MOVED_HIERARCHIES: readonly string[] = ['baremetalhosts.metal3.io'];

/** Image of both processes: the default name of the image that the `Dockerfile` builds. */
export const IMAGE = 'docker.io/library/temper:latest';

/**
 * All objects of the provider, as clusterctl installs them: CRDs, Deployments with their RBAC, webhooks. clusterctl
 * fills in `${NAME}` and `${NAME:=default}`, but not in `image`, which it reads before.
 */
export function components(image = IMAGE): string {
  const crds = readdirSync(join(ROOT, 'crds')).toSorted();
  const documents = [
    ...documentsOf('deploy/clusterctl/manager.yaml').map((document) => withImage(document, image)),
    ...crds.flatMap((file) => documentsOf(`crds/${file}`)).map(asServed),
    ...documentsOf('deploy/kubernetes/webhooks.yaml').filter(isWebhookConfiguration).map(asRegistered),
  ];
  return HEADER + documents.map(labelled).map(String).join('---\n');
}

function documentsOf(file: string): Document[] {
  return parseAllDocuments(readFileSync(join(ROOT, file), 'utf8')).map((parsed) => {
    if (parsed.errors.length > 0) throw new Error(`${file}: ${parsed.errors.map(String).join('; ')}`);
    const document = new Document(undefined, { aliasDuplicateObjects: false });
    document.contents = parsed.contents;
    return document;
  });
}

function withImage(document: Document, image: string): Document {
  const containers = document.getIn(['spec', 'template', 'spec', 'containers']);
  if (!isSeq(containers)) return document;
  for (const container of containers.items) if (isMap(container)) container.set('image', image);
  return document;
}

const isWebhookConfiguration = (document: Document): boolean =>
  String(document.get('kind')).endsWith('WebhookConfiguration');

/** A CRD with conversion gets our Service and the CA of cert-manager's certificate. */
function asServed(crd: Document): Document {
  const name = String(crd.getIn(['metadata', 'name']));
  if (MOVED_HIERARCHIES.includes(name)) setAll(crd, ['metadata', 'labels'], MOVED_WITH_WHAT_IT_OWNS);
  const service = ['spec', 'conversion', 'webhook', 'clientConfig', 'service'];
  if (!crd.hasIn(service)) return crd;
  setAll(crd, service, SERVICE);
  setAll(crd, ['metadata', 'annotations'], CERTIFICATE);
  return crd;
}

function asRegistered(configuration: Document): Document {
  const kind = configuration.get('kind') === 'MutatingWebhookConfiguration' ? 'mutating' : 'validating';
  configuration.setIn(['metadata', 'name'], `capm3-${kind}-webhook-configuration`);
  setAll(configuration, ['metadata', 'annotations'], CERTIFICATE);
  const webhooks = configuration.get('webhooks');
  if (!isSeq(webhooks)) throw new Error('a webhook configuration without webhooks');
  for (const webhook of webhooks.items) {
    if (!isMap(webhook)) throw new Error('a webhook that is no object');
    for (const [key, value] of Object.entries(SERVICE)) webhook.setIn(['clientConfig', 'service', key], value);
  }
  return configuration;
}

function labelled(document: Document): Document {
  setAll(document, ['metadata', 'labels'], PROVIDER);
  return document;
}

function setAll(document: Document, path: readonly string[], entries: Readonly<Record<string, string>>): void {
  for (const [key, value] of Object.entries(entries)) document.setIn([...path, key], value);
}
