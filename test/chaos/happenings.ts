import { join } from 'node:path';
import { z } from 'zod';
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

/** What happened, as it was recorded outside our code. */
export type Happening = Dated<
  | { readonly kind: 'journal'; readonly entry: Entry }
  | { readonly kind: 'told'; readonly told: Told }
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
  let noted = 0;
  return {
    async more() {
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
        ...(await linesOf(requests)).flatMap(ironic),
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
    if (node === undefined || status >= 300 || injected === true) return [];
    if (image !== undefined) images.set(node, image);
    const given = images.get(node);
    const host = hostOf(node);
    const of = { server: host, host };
    if (DEPLOYING.includes(target))
      return [{ at, kind: 'told', told: { request: 'deploy', ...of, ...(given !== undefined && { image: given }) } }];
    return ERASING.includes(target) ? [{ at, kind: 'told', told: { request: 'erase', ...of } }] : [];
  };
}

const imagesOf = (nodes: readonly NodeNow[]): Map<string, string> =>
  new Map(nodes.flatMap(({ id, image }) => (image === '' ? [] : [[id, urlDigest(image)] as const])));
