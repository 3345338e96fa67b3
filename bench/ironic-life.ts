import { setTimeout as delay } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { z } from 'zod';
import { basicAuth, type IronicLogin } from '../lab/http/password-file.ts';

const TICK_MS = 300;
const FIELDS = 'uuid,name,provision_state,target_provision_state,last_error';
const VERSION = { 'X-OpenStack-Ironic-API-Version': '1.95' } as const;

const nodeSchema = z.object({
  uuid: z.string(),
  name: z.string().nullable(),
  provision_state: z.string(),
  target_provision_state: z.string().nullable(),
  last_error: z.string().nullable(),
});
export type ListedNode = z.infer<typeof nodeSchema>;

/** A minimal client of Ironic: requests, and one list for all waiters. */
export interface IronicDriver {
  /** Sends a request and retries while the node is locked; rejects with Ironic's own message. */
  send(method: string, path: string, body?: unknown): Promise<unknown>;
  /** Resolves when the node of that name satisfies `done`; all waiters share one list request each tick. */
  until(name: string, done: (node: ListedNode) => boolean): Promise<ListedNode>;
  readonly requests: number;
  close(): Promise<void>;
}

interface Waiter {
  readonly name: string;
  readonly done: (node: ListedNode) => boolean;
  readonly resolve: (node: ListedNode) => void;
  readonly reject: (error: Error) => void;
}

const hasFailed = ({ provision_state: state }: ListedNode): boolean => /fail|error/.test(state);

export const driveIronic = (url: string, login?: IronicLogin): IronicDriver => {
  const dispatcher = new Agent({ connections: 10, keepAliveTimeout: 60_000 });
  const headers = {
    ...VERSION,
    'content-type': 'application/json',
    ...(login ? { authorization: basicAuth(login) } : {}),
  };
  let waiters: Waiter[] = [];
  let ticking = false;
  let requests = 0;

  const send = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    while (true) {
      requests += 1;
      const response = await fetch(new URL(path, url), {
        method,
        headers,
        dispatcher,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (response.ok) return text === '' ? undefined : JSON.parse(text);
      const isLocked = response.status === 409 && text.includes('locked');
      if (!isLocked) throw new Error(`Ironic answered ${response.status} to ${method} ${path}: ${text}`);
      await delay(TICK_MS);
    }
  };

  const list = async (): Promise<ListedNode[]> => {
    const nodes: ListedNode[] = [];
    for (let path = `nodes?fields=${FIELDS}`; ; ) {
      const page = z.object({ nodes: z.array(nodeSchema), next: z.string().optional() }).parse(await send('GET', path));
      nodes.push(...page.nodes);
      if (page.next === undefined) return nodes;
      path = `nodes?fields=${FIELDS}&marker=${page.nodes.at(-1)?.uuid}`;
    }
  };

  const tell = (nodes: readonly ListedNode[]): void => {
    const byName = new Map(nodes.map((node) => [node.name, node]));
    waiters = waiters.filter((waiter) => {
      const node = byName.get(waiter.name);
      if (node === undefined) return true;
      if (waiter.done(node)) waiter.resolve(node);
      else if (hasFailed(node)) waiter.reject(new Error(`${waiter.name}: ${node.provision_state}: ${node.last_error}`));
      else return true;
      return false;
    });
  };

  const tick = async (): Promise<void> => {
    ticking = true;
    while (waiters.length > 0) {
      const started = performance.now();
      tell(await list());
      await delay(Math.max(0, TICK_MS - (performance.now() - started)));
    }
    ticking = false;
  };

  return {
    send,
    until: (name, done) =>
      new Promise((resolve, reject) => {
        waiters.push({ name, done, resolve, reject });
        if (!ticking) {
          tick().catch((error: unknown) => {
            ticking = false;
            const failed = error instanceof Error ? error : new Error(String(error));
            for (const waiter of waiters.splice(0)) waiter.reject(failed);
          });
        }
      }),
    get requests() {
      return requests;
    },
    close: () => dispatcher.close(),
  };
};
