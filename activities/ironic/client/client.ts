import type { z } from 'zod';
import type { Inventory, PluginData } from '../../../domain/hardware/inventory.ts';
import type { Target } from '../../../domain/ironic/moves/move.ts';
import type { PowerTarget } from '../../../domain/ironic/moves/power.ts';
import type { IronicJson, NodeJson, NodeStateJson } from '../../../domain/ironic/node/node-json.ts';
import type { PatchOperation } from '../../../domain/ironic/node/patch.ts';
import type { Permit } from '../../permits/permit.ts';
import { type ApiVersion, chooseVersion } from './api-version.ts';
import { CONCURRENT_CHANGES, type IronicConnection } from './connection.ts';
import { type ConnectionSource, fixedSource } from './connection-source.ts';
import { IronicError, isIronicRefusal, isNodeGone, saysNodeIsGone } from './errors.ts';
import { createPlaces, type Places } from './places.ts';
import * as schemas from './schemas.ts';
import { createTransport, type IronicRequest, type OnAnswer, PAUSES, type Transport } from './transport.ts';

export interface Port {
  readonly address: string;
  readonly nodeId: string | undefined;
}

/** Options of a request besides its arguments. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Texts in the request that must not appear in an error. */
  readonly secrets?: readonly string[];
}

/** Options of a request that changes something. It is sent once, whatever Ironic answers. */
export interface ChangeOptions extends CallOptions {
  readonly permit: Permit;
}

/** Ironic's REST API in the words of its documentation. `undefined` stands for 404 where 404 is a valid answer. */
export interface IronicClient {
  /** The common API version; requested once in a process. Throws while Ironic is down, too old, or without drivers. */
  version(signal?: AbortSignal): Promise<ApiVersion>;
  /** Asks once, without another try. Throws while Ironic is down, refuses our credentials, or has no conductor. */
  answers(signal: AbortSignal): Promise<void>;
  /** With the step that Ironic performs on each node. */
  listNodes(signal?: AbortSignal): Promise<readonly NodeStateJson[]>;
  /**
   * Without the steps, and with the time at which Ironic last switched each server: longer answers, so not for frequent
   * lists.
   */
  listNodesWithPower(signal?: AbortSignal): Promise<readonly NodeStateJson[]>;
  /** When the node was created (ms since the epoch); undefined: there is no such node. */
  createdAt(id: string, call?: CallOptions): Promise<number | undefined>;
  /** By UUID or by name. */
  getNode(id: string, call?: CallOptions): Promise<NodeJson | undefined>;
  /** undefined: the name is in use. */
  createNode(body: IronicJson, change: ChangeOptions): Promise<NodeJson | undefined>;
  /** With another driver, interfaces that the patch does not name become those of the driver. */
  patchNode(id: string, patch: readonly PatchOperation[], change: ChangeOptions): Promise<NodeJson>;
  deleteNode(id: string, change: ChangeOptions): Promise<void>;
  setProvisionState(id: string, target: Target, more: IronicJson, change: ChangeOptions): Promise<void>;
  setPower(id: string, target: PowerTarget, timeout: number | undefined, change: ChangeOptions): Promise<void>;
  /** The volumes that the next `create_configuration` builds. */
  setRaid(id: string, logicalDisks: readonly IronicJson[], change: ChangeOptions): Promise<void>;
  setMaintenance(id: string, reason: string, change: ChangeOptions): Promise<void>;
  clearMaintenance(id: string, change: ChangeOptions): Promise<void>;
  /** True when one of the node's virtual drives has a medium. */
  hasMedium(id: string, call?: CallOptions): Promise<boolean>;
  /** Starts to insert the image into the virtual CD drive; the node is reserved until the end. */
  insertMedium(id: string, url: string, change: ChangeOptions): Promise<void>;
  /** Starts to eject the medium of the virtual CD drive; the node is reserved until the end. */
  ejectMedium(id: string, change: ChangeOptions): Promise<void>;
  /** Why the node cannot be deployed, by interface; only errors. */
  validate(id: string, call?: CallOptions): Promise<{ readonly boot?: string; readonly deploy?: string }>;
  inventory(
    id: string,
    call?: CallOptions,
  ): Promise<{ readonly inventory: Inventory; readonly plugins: PluginData } | undefined>;
  /** The newest error in the node's history; undefined when there is none, or Ironic keeps none. */
  newestError(id: string, call?: CallOptions): Promise<string | undefined>;
  portsOfNode(id: string, call?: CallOptions): Promise<readonly Port[]>;
  portsByAddress(address: string, call?: CallOptions): Promise<readonly Port[]>;
  /** False: the address is in use. */
  createPort(
    port: { readonly nodeId: string; readonly address: string; readonly pxe: boolean },
    change: ChangeOptions,
  ): Promise<boolean>;
  /** A bounded number of places, in which changes are decided and sent. */
  readonly places: Places;
  /** Pauses (ms) before each repetition of the work in a place. */
  readonly pausesMs: readonly number[];
  close(): Promise<void>;
}

export interface Observers {
  readonly onAnswer?: OnAnswer;
  /** Called with the milliseconds that a change has waited for its place. */
  readonly onPlace?: (waitedMs: number) => void;
}

const NODE_FIELDS = Object.keys(schemas.node.shape);
const STATE_FIELDS = Object.keys(schemas.nodeState.shape);
const STEP_FIELDS = Object.keys(schemas.nodeSteps.shape);
const POWER_FIELD = 'driver_internal_info';

/** Unlike the version document, this needs the credentials. */
const LIST_DRIVERS = { method: 'GET', path: '/drivers', doing: 'list the drivers' } as const;

/** Limit of pages, more than any Ironic has: a list that does not end is an error. */
const PAGES = 10_000;

export const createIronicClient = async (connection: IronicConnection): Promise<IronicClient> =>
  ironicClientOf(await fixedSource(connection), connection);

/** A client of an Ironic whose address may change. */
export function ironicClientOf(
  source: ConnectionSource,
  {
    pausesMs = PAUSES,
    concurrentChanges = CONCURRENT_CHANGES,
  }: Pick<IronicConnection, 'pausesMs' | 'concurrentChanges'>,
  { onAnswer, onPlace }: Observers = {},
): IronicClient {
  const send = createTransport(source, pausesMs, onAnswer);
  const sendOnce = createTransport(source, [], onAnswer);
  let known: ApiVersion | undefined;
  let asking: Promise<ApiVersion> | undefined;

  async function negotiate(): Promise<ApiVersion> {
    const doing = 'ask Ironic for its API version';
    const { base } = await source.current();
    const document = read(schemas.versionDocument, await send({ method: 'GET', path: '', doing }), doing);
    const version = chooseVersion((document.version ?? document.default_version)?.version ?? 'unknown', base);
    await requireDrivers(await send({ ...LIST_DRIVERS, version: version.header }));
    return version;
  }

  async function requireDrivers(answer: { readonly body: unknown }): Promise<void> {
    if (read(schemas.driverList, answer, LIST_DRIVERS.doing).drivers.length > 0) return;
    const { base } = await source.current();
    const message = `Ironic at ${base} has no drivers: no conductor is up`;
    throw new IronicError({ type: 'IronicUnusable', message });
  }

  /** Shared by concurrent callers, so a caller's signal only ends its own waiting; a failed request is repeated. */
  async function version(signal?: AbortSignal): Promise<ApiVersion> {
    if (known !== undefined) return known;
    asking ??= negotiate().finally(() => {
      asking = undefined;
    });
    known = await (signal === undefined ? asking : unlessAborted(asking, signal));
    return known;
  }

  async function call(order: IronicRequest, sendBy: Transport = send, isAgain = false): Promise<unknown> {
    const { header } = await version(order.signal);
    try {
      return (await sendBy({ ...order, version: header })).body;
    } catch (error) {
      if (!isIronicRefusal(error, 406)) throw error;
      // Ironic was replaced by one with other versions, as during an upgrade: a version of both is chosen.
      known = undefined;
      if (order.permit !== undefined || isAgain) throw error;
      return call(order, sendBy, true);
    }
  }

  /** A request about a node. Throws `NodeGone` when Ironic does not know it, and lists its nodes at the same time. */
  async function callNode(id: string, order: IronicRequest): Promise<unknown> {
    try {
      return await call(order);
    } catch (error) {
      if (!saysNodeIsGone(error, id)) throw error;
      await call({ method: 'GET', path: '/nodes?fields=uuid&limit=1', doing: 'list a node', signal: order.signal });
      throw new IronicError({ type: 'NodeGone', message: error.message, status: 404, said: error.said });
    }
  }

  async function unlessGone<T>(asking: Promise<T>): Promise<T | undefined> {
    try {
      return await asking;
    } catch (error) {
      if (isNodeGone(error)) return undefined;
      throw error;
    }
  }

  async function orUndefined<T>(status: number, asking: Promise<T>): Promise<T | undefined> {
    try {
      return await asking;
    } catch (error) {
      if (isIronicRefusal(error, status)) return undefined;
      throw error;
    }
  }

  const nodePath = (id: string): string => `/nodes/${encodeURIComponent(id)}`;
  const fields = async (names: readonly string[], signal?: AbortSignal): Promise<string> => {
    const { canKeepPowerOn, tellsHealth } = await version(signal);
    const unknown = [...(canKeepPowerOn ? [] : ['disable_power_off']), ...(tellsHealth ? [] : ['health'])];
    return names.filter((name) => !unknown.includes(name)).join(',');
  };

  async function portList(path: string, doing: string, options: CallOptions): Promise<readonly Port[]> {
    const { ports } = read(schemas.portList, { body: await call({ method: 'GET', path, doing, ...options }) }, doing);
    return ports.map(({ address, node_uuid }) => ({ address: address.toLowerCase(), nodeId: node_uuid ?? undefined }));
  }

  /** All pages of the list of nodes. */
  async function nodeList(query: string, signal: AbortSignal | undefined): Promise<readonly NodeStateJson[]> {
    const doing = 'list the nodes';
    const nodes: NodeStateJson[] = [];
    let more: string | undefined = `?${query}`;
    for (let page = 0; more !== undefined; page++) {
      if (page === PAGES)
        throw new IronicError({ type: 'IronicUnreadable', message: `can't ${doing}: the list does not end` });
      const body = await call({ method: 'GET', path: `/nodes${more}`, doing, signal, pool: 'lists' });
      const list = read(schemas.nodeList, { body }, doing);
      nodes.push(...list.nodes);
      more = nextPage(list.next, query);
    }
    return nodes;
  }

  return {
    version,
    answers: async (signal) => requireDrivers({ body: await call({ ...LIST_DRIVERS, signal }, sendOnce) }),

    listNodes: async (signal) =>
      nodeList(`fields=${await fields([...STATE_FIELDS, ...STEP_FIELDS], signal)}&sort_key=id`, signal),
    listNodesWithPower: async (signal) =>
      nodeList(`fields=${await fields([...STATE_FIELDS, POWER_FIELD], signal)}&sort_key=id`, signal),

    async createdAt(id, options = {}) {
      const doing = `read when node ${id} was created`;
      const body = await unlessGone(callNode(id, { method: 'GET', path: nodePath(id), doing, ...options }));
      if (body === undefined) return undefined;
      return Date.parse(read(schemas.creation, { body }, doing).created_at ?? '') || 0;
    },

    async getNode(id, options = {}) {
      const doing = `read node ${id}`;
      const path = `${nodePath(id)}?fields=${await fields(NODE_FIELDS)}`;
      const body = await unlessGone(callNode(id, { method: 'GET', path, doing, ...options }));
      return body === undefined ? undefined : read(schemas.node, { body }, doing);
    },

    async createNode(body, options) {
      const doing = `create node ${String(body['name'])}`;
      const created = await orUndefined(409, call({ method: 'POST', path: '/nodes', body, doing, ...options }));
      return created === undefined ? undefined : read(schemas.node, { body: created }, doing);
    },

    async patchNode(id, patch, options) {
      const doing = `change ${patch.map(({ path }) => path).join(', ')} of node ${id}`;
      const path = `${nodePath(id)}${patch.some((each) => each.path === '/driver') ? '?reset_interfaces=true' : ''}`;
      return read(
        schemas.node,
        { body: await callNode(id, { method: 'PATCH', path, body: patch, doing, ...options }) },
        doing,
      );
    },

    async deleteNode(id, options) {
      await unlessGone(callNode(id, { method: 'DELETE', path: nodePath(id), doing: `delete node ${id}`, ...options }));
    },

    async setProvisionState(id, target, more, options) {
      const body = { target, ...more };
      const doing = `request '${target}' of node ${id}`;
      await callNode(id, { method: 'PUT', path: `${nodePath(id)}/states/provision`, body, doing, ...options });
    },

    async setPower(id, target, timeout, options) {
      const body = { target, ...(timeout !== undefined && { timeout }) };
      const doing = `request '${target}' of node ${id}`;
      await callNode(id, { method: 'PUT', path: `${nodePath(id)}/states/power`, body, doing, ...options });
    },

    async setRaid(id, logicalDisks, options) {
      const body = { logical_disks: logicalDisks };
      const doing = `set the volumes of node ${id}`;
      await callNode(id, { method: 'PUT', path: `${nodePath(id)}/states/raid`, body, doing, ...options });
    },

    async setMaintenance(id, reason, options) {
      const doing = `set maintenance of node ${id}`;
      await callNode(id, { method: 'PUT', path: `${nodePath(id)}/maintenance`, body: { reason }, doing, ...options });
    },

    async clearMaintenance(id, options) {
      const doing = `end maintenance of node ${id}`;
      await callNode(id, { method: 'DELETE', path: `${nodePath(id)}/maintenance`, doing, ...options });
    },

    async hasMedium(id, options = {}) {
      const doing = `read the virtual drives of node ${id}`;
      const body = await callNode(id, { method: 'GET', path: `${nodePath(id)}/vmedia`, doing, ...options });
      return read(schemas.virtualMedia, { body }, doing).some(({ inserted }) => inserted === true);
    },

    async insertMedium(id, url, options) {
      const body = { device_type: 'cdrom', image_url: url };
      const doing = `insert an image into the virtual drive of node ${id}`;
      await callNode(id, { method: 'POST', path: `${nodePath(id)}/vmedia`, body, doing, ...options });
    },

    async ejectMedium(id, options) {
      const path = `${nodePath(id)}/vmedia?device_types=cdrom`;
      await callNode(id, {
        method: 'DELETE',
        path,
        doing: `eject the image of the virtual drive of node ${id}`,
        ...options,
      });
    },

    async validate(id, options = {}) {
      const doing = `validate node ${id}`;
      const body = await callNode(id, { method: 'GET', path: `${nodePath(id)}/validate`, doing, ...options });
      const { boot, deploy } = read(schemas.validation, { body }, doing);
      return {
        ...(boot?.result === false && { boot: boot.reason ?? 'boot' }),
        ...(deploy?.result === false && { deploy: deploy.reason ?? 'deploy' }),
      };
    },

    async inventory(id, options = {}) {
      const doing = `read the inventory of node ${id}`;
      const asking = callNode(id, { method: 'GET', path: `${nodePath(id)}/inventory`, doing, ...options });
      const body = await unlessGone(orUndefined(404, asking));
      if (body === undefined) return undefined;
      const { inventory, plugin_data } = read(schemas.nodeInventory, { body }, doing);
      return { inventory, plugins: plugin_data };
    },

    async newestError(id, options = {}) {
      const doing = `read the history of node ${id}`;
      const path = `${nodePath(id)}/history?detail=true`;
      const body = await orUndefined(404, call({ method: 'GET', path, doing, ...options }));
      if (body === undefined) return undefined;
      const errors = read(schemas.history, { body }, doing).history.filter(
        ({ severity, event }) => severity === 'ERROR' && event,
      );
      const newest = errors.toSorted((a, b) => (a.created_at ?? '').localeCompare(b.created_at ?? '')).at(-1);
      return newest?.event ?? undefined;
    },

    portsOfNode: (id, options = {}) =>
      portList(`${nodePath(id)}/ports?fields=uuid,address`, `list the ports of node ${id}`, options),

    portsByAddress: (address, options = {}) =>
      portList(
        `/ports?address=${encodeURIComponent(address)}&fields=uuid,address,node_uuid`,
        `find a port with MAC address ${address}`,
        options,
      ),

    async createPort({ nodeId, address, pxe }, options) {
      const body = { node_uuid: nodeId, address, pxe_enabled: pxe };
      const doing = `create a port with MAC address ${address} for node ${nodeId}`;
      const created = await orUndefined(409, call({ method: 'POST', path: '/ports', body, doing, ...options }));
      return created !== undefined;
    },

    places: createPlaces(concurrentChanges, onPlace),
    pausesMs,
    close: () => source.close(),
  };
}

function read<Schema extends z.ZodType>(
  schema: Schema,
  { body }: { readonly body: unknown },
  doing: string,
): z.infer<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue?.path.join('.') || 'the answer';
  // The message names only the path and the rule, because the value may be a secret.
  const message = `can't ${doing}: Ironic's answer has an unexpected format: ${where} is ${issue?.code ?? 'wrong'}`;
  throw new IronicError({ type: 'IronicUnreadable', message });
}

/**
 * Only the marker of the link is used: its host is Ironic's own address, which may be wrong behind a proxy or a port
 * mapping.
 */
function nextPage(next: string | null | undefined, query: string): string | undefined {
  if (!next) return undefined;
  const parameters = new URLSearchParams(next.slice(next.indexOf('?') + 1));
  const [marker, limit] = [parameters.get('marker'), parameters.get('limit')];
  if (marker === null) return undefined;
  return `?${query}&marker=${encodeURIComponent(marker)}${limit === null ? '' : `&limit=${limit}`}`;
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
