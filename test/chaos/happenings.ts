import { join } from 'node:path';
import { z } from 'zod';
import { REQUEST_ANNOTATION } from '../../api/baremetalhost/values.ts';
import { auditLogOf } from '../../lab/control-plane/audit.ts';
import { urlDigest } from '../../lab/proxy/told.ts';
import { type LineReader, readLines, type Stored, storedIn } from './audit.ts';
import type { NodeNow } from './ironic-nodes.ts';
import type { Dated, Entry, Journal } from './journal.ts';

/** A server was told to deploy an image, or to erase what is on it. Images are digests of their URLs. */
export interface Told {
  readonly request: 'deploy' | 'erase';
  /**
   * Name of the host, because a restore of etcd may lead to another node of Ironic for it; or the fixture's machine.
   */
  readonly server: string;
  /** Name of the host whose server it is. */
  readonly host: string;
  /** Of a deployment. */
  readonly image?: string;
}

/** A request that changes a node, whatever the answer was. */
export interface Left {
  /** As Ironic calls it: `active`, `deleted`, `soft power off`. */
  readonly target: string;
  readonly node: string;
  readonly host: string;
  /** Digest of the URL of the image that the node was given. */
  readonly image?: string;
}

/** The first write of an object with this mark: our processes mark a host before they send a request. */
export interface Marked {
  readonly mark: { readonly text: string; readonly request: string; readonly nodeId: string; readonly at: string };
  readonly object: Stored['object'];
}

/** What happened, as it was recorded outside our code. */
export type Happening = Dated<
  | { readonly kind: 'journal'; readonly entry: Entry }
  | { readonly kind: 'told'; readonly told: Told }
  | { readonly kind: 'left'; readonly left: Left }
  | { readonly kind: 'marked'; readonly marked: Marked }
  | { readonly kind: 'stored'; readonly stored: Stored }
>;

export interface Happenings {
  /** What happened since the last call, in order of time. */
  more(): Promise<readonly Happening[]>;
}

/** Merges the journal, the audit log of the API server and the requests that the proxy in front of Ironic recorded. */
export function follow(dir: string, journal: Journal): Happenings {
  const audit = readLines(auditLogOf(dir));
  const requests = readLines(join(dir, 'proxy', 'requests.jsonl'));
  const hostsOfNodes = new Map<string, string>();
  const ironic = createIronicReader((node) => hostsOfNodes.get(node) ?? node, journal);
  const fixture = createFixtureReader();
  const marks = createMarkReader();
  let noted = 0;
  return {
    async more() {
      // First, so that what was written before a request is in the audit log.
      const sent = await linesOf(requests);
      const stored = storedIn(await audit.more());
      for (const { resource, object } of stored) {
        const node = object.status?.provisioning?.ID ?? '';
        if (resource === 'baremetalhosts' && node !== '') hostsOfNodes.set(node, object.metadata.name);
      }
      const entries = journal.entries.slice(noted);
      noted += entries.length;
      return [
        ...entries.map((entry): Happening => ({ at: entry.at, kind: 'journal', entry })),
        ...stored.map((one): Happening => ({ at: one.at, kind: 'stored', stored: one })),
        ...stored.flatMap(fixture),
        ...stored.flatMap(marks),
        ...sent.flatMap(ironic),
      ].toSorted((one, other) => one.at - other.at);
    },
  };
}

const linesOf = (reader: LineReader): Promise<readonly string[]> => reader.more();

/** Cleaning erases too, also before a deployment and when a host is prepared. */
const CLEANING: readonly string[] = ['cleaning', 'clean wait'];

/** Each write has the whole record of the machine: the same state since the same time is one request. */
function createFixtureReader(): (stored: Stored) => readonly Happening[] {
  const lastBegun = new Map<string, string>();
  return ({ at, resource, object: { metadata, data } }) => {
    if (resource !== 'configmaps' || data === undefined) return [];
    const { host = '', state, since = '', nextState, image = '' } = data;
    const begun = `${state} ${since}`;
    if (lastBegun.get(metadata.name) === begun) return [];
    lastBegun.set(metadata.name, begun);
    const server = metadata.name;
    if (state === 'wait call-back')
      return [{ at, kind: 'told', told: { request: 'deploy', server, host, image: urlDigest(image) } }];
    if ((state === 'deleting' && nextState === 'available') || CLEANING.includes(state ?? ''))
      return [{ at, kind: 'told', told: { request: 'erase', server, host } }];
    return [];
  };
}

const mark = z.object({ request: z.string(), nodeId: z.string(), at: z.string() });

/** A mark stays on the object while it is written by others. */
function createMarkReader(): (stored: Stored) => readonly Happening[] {
  const seen = new Set<string>();
  return ({ receivedAt, resource, object }) => {
    const text = object.metadata.annotations[REQUEST_ANNOTATION];
    if (resource !== 'baremetalhosts' || text === undefined || seen.has(text)) return [];
    seen.add(text);
    const marked = { mark: { text, ...mark.parse(JSON.parse(text)) }, object };
    return [{ at: receivedAt, kind: 'marked', marked }];
  };
}

const recorded = z.object({
  at: z.string().transform((at) => Date.parse(at)),
  node: z.string().optional(),
  kind: z.string(),
  target: z.string().optional(),
  image: z.string().optional(),
  status: z.number(),
  injected: z.boolean().optional(),
});

const ERASING: readonly string[] = ['deleted', 'provide', 'clean'];
const DEPLOYING: readonly string[] = ['active', 'rebuild'];

/** A deployment is of the image that the node was given last, or that a restored Ironic remembers. */
function createIronicReader(
  hostOf: (node: string) => string,
  { entries }: Journal,
): (line: string) => readonly Happening[] {
  let images = new Map<string, string>();
  let read = 0;
  const putBackUntil = (at: number): void => {
    for (let entry = entries[read]; entry !== undefined && entry.at <= at; entry = entries[read]) {
      read += 1;
      if (entry.kind === 'ironic put back') images = imagesOf(entry.nodes);
    }
  };
  return (line) => {
    const { at, node, target = '', image, status, injected } = recorded.parse(JSON.parse(line));
    putBackUntil(at);
    if (node === undefined) return [];
    const host = hostOf(node);
    const isAccepted = status < 300 && injected !== true;
    if (image !== undefined && isAccepted) images.set(node, image);
    const given = images.get(node);
    const ofImage = given !== undefined && { image: given };
    const left: readonly Happening[] =
      target === '' ? [] : [{ at, kind: 'left', left: { target, node, host, ...ofImage } }];
    if (!isAccepted) return left;
    const of = { server: host, host };
    if (DEPLOYING.includes(target))
      return [...left, { at, kind: 'told', told: { request: 'deploy', ...of, ...ofImage } }];
    return ERASING.includes(target) ? [...left, { at, kind: 'told', told: { request: 'erase', ...of } }] : left;
  };
}

const imagesOf = (nodes: readonly NodeNow[]): Map<string, string> =>
  new Map(nodes.flatMap(({ id, image }) => (image === '' ? [] : [[id, urlDigest(image)] as const])));
