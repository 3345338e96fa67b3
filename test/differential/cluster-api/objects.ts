import { isObject, type Json } from '../../../kube/merge-patch.ts';
import { createNormal } from '../normalise.ts';
import { field, type SeenObject, type Version } from '../watch-versions.ts';
import type { StoryKind } from './kinds.ts';

const KEPT_METADATA = ['annotations', 'labels', 'finalizers', 'ownerReferences', 'deletionTimestamp'];
/** Of the Secret that a Metal3Data renders: its content is compared. */
const RENDERED = 'infrastructure.cluster.x-k8s.io/secret';

/** The objects of a namespace as they are now, by kind and name, without what differs between runs. */
export function objectsOf(versions: readonly Version<StoryKind>[], namespace: string): ReadonlyMap<string, Json> {
  const uids = new Map(versions.map(({ kind, name, object }) => [object?.metadata.uid ?? '', `${kind} ${name}`]));
  uids.delete('');
  const named = (text: string): string =>
    [...uids].reduce(
      (before, [uid, owner]) => before.replaceAll(uid, `<uid of ${owner}>`),
      text.replaceAll(namespace, '<namespace>'),
    );
  const normal = createNormal(named, (key, value) => (key === 'conditions' ? conditions(value, named) : undefined));
  const now = new Map<string, Json>();
  for (const { kind, name, object } of versions) {
    const key = `${kind} ${named(name)}`;
    if (object === undefined) now.delete(key);
    else if (!isScenery(kind, name)) now.set(key, normal('', contentOf(kind, object)) as Json);
  }
  return now;
}

/**
 * Secrets that a story about a machine's own Secrets names. cluster-api-provider-metal3 does not look for them,
 * Temper's hosts wait for them.
 */
export const OWN_SECRETS: readonly string[] = ['user', 'meta', 'network'];

/** Secrets that the story needs and nobody changes. */
const isScenery = (kind: StoryKind, name: string): boolean =>
  kind === 'Secret' && (/-(kubeconfig|boot)$/.test(name) || OWN_SECRETS.includes(name));

function contentOf(kind: StoryKind, object: SeenObject): Json {
  const kept = KEPT_METADATA.flatMap((key) =>
    object.metadata[key] === undefined ? [] : [[key, object.metadata[key]] as const],
  );
  const metadata = Object.fromEntries(kept);
  const { spec, status } = object;
  if (kind === 'Secret') {
    if (object['type'] !== RENDERED) return { metadata };
    const data = Object.entries(object['data'] as Readonly<Record<string, string>>);
    return {
      metadata,
      data: Object.fromEntries(data.map(([key, text]) => [key, Buffer.from(text, 'base64').toString()])),
    };
  }
  // The hosts live in other ways on both sides.
  if (kind === 'BareMetalHost')
    return {
      metadata,
      spec,
      status: { state: field(status, 'provisioning', 'state'), poweredOn: field(status, 'poweredOn') },
    };
  if (kind === 'Node') return { metadata, spec };
  return { metadata, ...(spec !== undefined && { spec }), ...(status !== undefined && { status }) };
}

/** Conditions of both contracts, each as one line: status, severity, reason, message. */
const conditions = (list: unknown, named: (text: string) => string): Json =>
  Object.fromEntries(
    (Array.isArray(list) ? list : []).filter(isObject).map(({ type, status, severity, reason, message }) => [
      String(type),
      [status, severity, reason]
        .filter((word) => word !== undefined && word !== '')
        .join(' ')
        .concat(typeof message === 'string' && message !== '' ? `: ${named(message)}` : ''),
    ]),
  );
