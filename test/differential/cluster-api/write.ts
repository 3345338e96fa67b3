import { readFileSync } from 'node:fs';
import { isNotFound, type Kube, KubeError } from '../../../kube/client.ts';
import { whileContended } from '../../../kube/contended.ts';
import { isObject, type Json } from '../../../kube/merge-patch.ts';
import { field } from '../watch-versions.ts';
import { apiOf, collectionOf, pathOf } from './kinds.ts';

import { KUBECONFIG } from './macros.ts';
import { asOlder, changedAsOlder, hasOlder, olderPath } from './older.ts';
import type { Create, Reference, Write } from './steps.ts';

export interface Stage {
  readonly kube: Kube;
  readonly kubeconfig: string;
  readonly namespace: string;
  /** Objects of Metal3's machines are written in their older version, as clients that know no other do it. */
  readonly older?: boolean;
}

/** What the API server answered: the object, or why it refused the write. */
export type Answer = { readonly object: unknown } | { readonly refused: string };

/** Performs a write; refusals by the API server and by webhooks are part of a story. */
export async function write(order: Write, stage: Stage): Promise<Answer> {
  try {
    return { object: await perform((await filledIn(order, stage)) as Write, stage) };
  } catch (error) {
    if (error instanceof KubeError && error.status >= 400 && error.status < 500) return { refused: error.words };
    throw error;
  }
}

async function perform(order: Write, stage: Stage): Promise<unknown> {
  const { kube, namespace } = stage;
  if ('create' in order) return create(order, stage);
  if ('delete' in order) {
    const { kind, name } = order.delete;
    const path = pathOf(kind, { namespace, name });
    return kube.request({ method: 'DELETE', path }).catch((error: unknown) => {
      // The API server's garbage collector may have deleted it before, with its owner.
      if (!isNotFound(error)) throw error;
    });
  }
  const { kind, name } = order.change;
  const path = pathOf(kind, { namespace, name });
  const { spec, status } = order;
  const metadata = metadataOf(order);
  const isWritten = Object.keys(metadata).length > 0 || spec !== undefined;
  if (stage.older === true && hasOlder(kind)) {
    const changed = isWritten ? await changeOlder(kube, path, { metadata, ...(spec && { spec }) }) : undefined;
    return status === undefined ? changed : changeOlder(kube, path, { status }, '/status');
  }
  const changed = isWritten ? await kube.patch(path, { metadata, ...(spec && { spec }) }) : undefined;
  return status === undefined ? changed : kube.patch(`${path}/status`, { status });
}

async function create(order: Create, { kube, namespace, older = false }: Stage): Promise<unknown> {
  const { create: made, owners, spec, status, stringData } = order;
  const { apiVersion, kind } = apiOf(made.kind);
  const ownerReferences = await Promise.all(
    owners.map(async (owner, index) => ({
      apiVersion: apiOf(owner.kind).apiVersion,
      kind: apiOf(owner.kind).kind,
      name: owner.name,
      uid: await uidOf(owner, { kube, namespace }),
      ...(index === 0 && { controller: true }),
    })),
  );
  const body = {
    apiVersion,
    kind,
    metadata: {
      ...(made.kind === 'Node' ? { name: `${namespace}.${made.name}` } : { name: made.name, namespace }),
      ...metadataOf(order),
      ...(ownerReferences.length > 0 && { ownerReferences }),
    },
    ...(spec && { spec }),
    ...(stringData && { stringData }),
  };
  const isOlder = older && hasOlder(made.kind);
  const path = collectionOf(made.kind, namespace);
  const answer = await kube.request(
    isOlder ? { method: 'POST', path: olderPath(path), body: asOlder(body) } : { method: 'POST', path, body },
  );
  if (status === undefined) return answer;
  const ofObject = pathOf(made.kind, { namespace, name: made.name });
  return isOlder ? changeOlder(kube, ofObject, { status }, '/status') : kube.patch(`${ofObject}/status`, { status });
}

/** Reads the object in the older version, changes it and writes all of it, as Go's clients update. */
const changeOlder = (kube: Kube, path: string, change: Json, sub = ''): Promise<unknown> =>
  whileContended(async () => {
    const read = await kube.request({ path: olderPath(path) });
    return kube.request({
      method: 'PUT',
      path: `${olderPath(path)}${sub}`,
      body: changedAsOlder(read as Json, change),
    });
  });

const metadataOf = ({ labels, annotations, finalizers }: Extract<Write, { labels?: unknown }>): object => ({
  ...(labels && { labels }),
  ...(annotations && { annotations }),
  ...(finalizers && { finalizers }),
});

async function uidOf({ kind, name }: Reference, { kube, namespace }: Omit<Stage, 'kubeconfig'>): Promise<string> {
  const found = await kube.find(pathOf(kind, { namespace, name }));
  if (found === undefined) throw new Error(`the story has no ${kind} ${name}`);
  return String(field(found, 'metadata', 'uid'));
}

const UID = /<uid of (\w+) ([\w.-]+)>/;

/** The value with the namespace, the kubeconfig and uids in the texts that stand for them. */
async function filledIn(value: unknown, stage: Stage): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((item) => filledIn(item, stage)));
  if (isObject(value)) {
    const entries = Object.entries(value).map(async ([key, inner]) => [
      key.replaceAll('<namespace>', stage.namespace),
      await filledIn(inner, stage),
    ]);
    return Object.fromEntries((await Promise.all(entries)) as [string, unknown][]);
  }
  if (typeof value !== 'string') return value;
  if (value === KUBECONFIG) return readFileSync(stage.kubeconfig, 'utf8');
  const [text, kind, name] = UID.exec(value) ?? [];
  const filled = value.replaceAll('<namespace>', stage.namespace);
  if (text === undefined || kind === undefined || name === undefined) return filled;
  return filled.replace(text, await uidOf({ kind, name } as Reference, stage));
}
