import type { DiscoveredNodes } from '../../activities/ironic/discovery/discovered-nodes.ts';
import { type FailingNodes, nodeByNode } from '../../activities/ironic/discovery/node-by-node.ts';
import { createHardware } from '../../activities/kubernetes/host/host-data.ts';
import { isApiRefusal } from '../../activities/kubernetes/refusal.ts';
import { ageOf } from '../../domain/clock.ts';
import { decide, type HostLife, type MachineVerdict } from '../../domain/discovery/decide.ts';
import { hostObject } from '../../domain/discovery/host-object.ts';
import { type KnownHost, keyOfHost, MINUTE_MS, superseded } from '../../domain/discovery/known-hosts.ts';
import type { DiscoveredMachine } from '../../domain/discovery/machine.ts';
import { DISCOVERED_LABEL, DISCOVERY_ANNOTATIONS } from '../../domain/discovery/names.ts';
import type { DiscoverySettings } from '../../domain/discovery/settings.ts';
import type { NodeStateJson } from '../../domain/ironic/node/node-json.ts';
import { messageOf } from '../../domain/message-of.ts';
import { traitsOf } from '../../domain/states/table.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../../kube/client.ts';
import { KINDS } from '../../kube/kinds.ts';
import { readHost } from '../../kube/objects/baremetalhost.ts';
import { readHardwareData } from '../../kube/objects/hardwaredata.ts';
import { readMetadata } from '../../kube/objects/metadata.ts';
import { hostCollection, hostPath } from '../../kube/paths.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Entry } from '../../kube/store.ts';
import { hostWorkflowId } from '../../workflows/messages.ts';
import type { Around } from '../around.ts';
import type { Announce } from '../publish/announce.ts';
import { describeRun } from '../signal/runs.ts';
import { STEERED_HOST } from '../steering/steered-kinds.ts';

export interface DiscoverDeps extends Pick<Around, 'kube' | 'client' | 'stores' | 'log' | 'now'> {
  readonly nodes: DiscoveredNodes;
  readonly settings: DiscoverySettings;
  readonly announce: Announce;
}

export interface Discover {
  /** Performs one turn. `all`: the nodes of Ironic, in the order of their creation. */
  readonly look: (all: readonly NodeStateJson[], signal: AbortSignal) => Promise<void>;
  /** Number of remembered hosts and nodes. */
  readonly size: number;
}

type Creation = Extract<MachineVerdict, { readonly kind: 'create' }>;

const UNKNOWN = 'which has no bootMACAddress and took too long to be inspected';

type HostName = Pick<KnownHost, 'namespace' | 'name' | 'uid'>;

/** Performs work for a node, whose failure does not keep the next nodes waiting. `host`: that of the node, if there is one. */
type Performing = (nodeId: string, work: () => Promise<void>, host?: HostName) => Promise<void>;

/**
 * Turns machines that Ironic has enrolled by itself into hosts. Each turn decides from hosts, nodes and workflows as
 * they are now, so a turn that was interrupted anywhere is completed by the next one. What it remembers only saves
 * requests and log lines.
 */
export function createDiscover(deps: DiscoverDeps): Discover {
  const { kube, client, stores, nodes, settings, announce, log, now } = deps;
  /** Hosts created within a minute, with their nodes: the cache may not have them yet. */
  const created = new Map<string, { readonly at: number; readonly nodeId: string }>();
  /** For each node, why it becomes no host, or its last failure: both are logged once. */
  const told = new Map<string, string>();
  const failing: FailingNodes = new Map();
  /** Uids of hosts whose hardware was written, or was not found: each is processed once. */
  const hasHardware = new Set<string>();

  const knownHosts = (): readonly KnownHost[] =>
    [...stores.values(KINDS.host)].map((host) => knownHost(host, stores.get(KINDS.hardwareData, keyOf(host))));

  /** Writes the hardware of hosts whose bridge ended before it had done that. */
  const completeHardware = async (
    hosts: readonly KnownHost[],
    perform: Performing,
    signal: AbortSignal,
  ): Promise<void> => {
    const uids = new Set(hosts.map(({ uid }) => uid));
    for (const uid of hasHardware) if (!uids.has(uid)) hasHardware.delete(uid);
    for (const host of hosts) {
      const isOpen =
        host.isDiscovered && traitsOf(host.state).lacksBmc && !host.isDeleting && host.discoveredNode !== '';
      if (!isOpen || hasHardware.has(host.uid)) continue;
      if (stores.get(KINDS.hardwareData, keyOfHost(host)) !== undefined) continue;
      await perform(
        host.discoveredNode,
        async () => {
          const machine = await nodes.machine(host.discoveredNode, signal);
          if (machine === undefined || (await writeHardware(host, machine))) hasHardware.add(host.uid);
        },
        host,
      );
    }
  };

  const writeHardware = async (host: HostName, machine: DiscoveredMachine): Promise<boolean> => {
    try {
      // Without a finalizer: the host may just have been deleted, and would not remove it any more.
      await createHardware(kube, host, machine.hardware, { hold: false });
      return true;
    } catch (error) {
      // The HardwareData of an earlier host of this name may still exist.
      log.info({ ...said(host), error: messageOf(error) }, 'the hardware of a discovered host was not written');
      return false;
    }
  };

  const warn = (object: HostName, message: string): Promise<unknown> => {
    const event = { id: message, reason: 'MayBeTheSameMachine', message, type: 'Warning' } as const;
    return announce({ binding: STEERED_HOST, object, event });
  };

  const create = async (machine: DiscoveredMachine, { name, besides = [] }: Creation): Promise<void> => {
    const { namespace } = settings;
    const key = keyOfHost({ namespace, name });
    const body = hostObject(machine, name, settings);
    try {
      const host = readMetadata(await kube.request({ method: 'POST', path: hostCollection(namespace), body }));
      log.info({ ...said(host), node: machine.nodeId, mac: machine.bootMac }, 'a machine was discovered');
      created.set(key, { at: now(), nodeId: machine.nodeId });
      if (await writeHardware(host, machine)) hasHardware.add(host.uid);
      for (const other of besides) {
        await warn(host, `this may be the machine of host ${keyOfHost(other)}, ${UNKNOWN}; if it is, delete this host`);
        await warn(other, `host ${key} was discovered, and may be this machine, ${UNKNOWN}`);
      }
    } catch (error) {
      // The host exists, but not yet in the cache: the next turn finds it.
      if (!isAlreadyExists(error)) throw error;
    }
  };

  /** A host that the API server refuses does not keep others waiting. */
  const refused =
    (nodeId: string) =>
    (error: unknown): void => {
      if (!isApiRefusal(error)) throw error;
      log.warn({ node: nodeId, error: messageOf(error) }, 'the host of a discovered machine was refused');
    };

  /** Performs work for one node after the other. A failure is logged once. */
  const performing = (signal: AbortSignal): Performing => {
    const { perform } = nodeByNode(signal, failing);
    return async (nodeId, work, host) => {
      const failure = await perform(nodeId, work);
      if (failure !== undefined) tellFailure(nodeId, failure, host && said(host));
    };
  };

  const tellFailure = (nodeId: string, failure: string, ofHost: object = {}): void => {
    if (told.get(nodeId) !== failure)
      log.warn(
        { ...ofHost, node: nodeId, error: failure },
        'a request for a discovered node failed; it is tried again',
      );
    told.set(nodeId, failure);
  };

  const dismiss = async ({ namespace, name, uid }: KnownHost): Promise<void> => {
    const path = hostPath({ namespace, name });
    try {
      await kube.request({ method: 'DELETE', path, body: { preconditions: { uid } } });
      log.info(said({ namespace, name, uid }), 'a discovered host gives way to the host of a user');
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  };

  const remove = async (nodeId: string, reason: string, signal: AbortSignal): Promise<void> => {
    const isGone = await nodes.remove(nodeId, signal);
    if (isGone) log.info({ node: nodeId, reason }, 'a discovered node was removed from Ironic');
  };

  const tell = (nodeId: string, verdict: MachineVerdict): void => {
    if (verdict.kind !== 'wait' && verdict.kind !== 'ignore') return;
    if (told.get(nodeId) !== verdict.reason)
      log.info({ node: nodeId, reason: verdict.reason }, 'a discovered machine becomes no host now');
    told.set(nodeId, verdict.reason);
  };

  const lifeOf = async (name: string): Promise<HostLife> => {
    const run = await describeRun(client, hostWorkflowId({ namespace: settings.namespace, name }));
    if (run === undefined) return { kind: 'never' };
    return run.closedAt === undefined ? { kind: 'running' } : { kind: 'ended', at: run.closedAt };
  };

  const look: Discover['look'] = async (all, signal) => {
    for (const [key, { at }] of created) if (ageOf(at, now()) >= MINUTE_MS) created.delete(key);
    const hosts = knownHosts();
    const perform = performing(signal);
    await completeHardware(hosts, perform, signal);
    for (const host of superseded(hosts)) await perform(host.discoveredNode, () => dismiss(host), host);
    const taken = new Set([
      ...hosts.flatMap(({ nodeId, discoveredNode }) => [nodeId, discoveredNode]),
      ...[...created.values()].map(({ nodeId }) => nodeId),
    ]);
    const found = await nodes.look(all, (nodeId) => taken.has(nodeId), signal);
    const machines = new Map(
      found.flatMap((node) => (node.kind === 'machine' ? [[node.machine.nodeId, node.machine] as const] : [])),
    );
    const listed = new Set(all.map(({ uuid }) => uuid));
    for (const id of told.keys()) if (!listed.has(id)) told.delete(id);
    for (const id of failing.keys()) if (!listed.has(id)) failing.delete(id);
    for (const node of found) {
      if (node.kind === 'unread') tellFailure(node.nodeId, node.reason);
      if (node.kind === 'useless') await perform(node.nodeId, () => remove(node.nodeId, node.reason, signal));
    }

    const times = new Map([...created].map(([key, { at }]) => [key, at]));
    const state = { machines: [...machines.values()], hosts, settings, now: now(), created: times };
    // Temporal is asked for earlier hosts only for the hosts that would be created now, which the limit bounds.
    const lives = new Map<string, HostLife>();
    const first = decide({ ...state, lives });
    for (const verdict of first.values())
      for (const name of verdict.kind === 'create' ? verdict.names : []) lives.set(name, await lifeOf(name));
    for (const [nodeId, verdict] of lives.size === 0 ? first : decide({ ...state, lives })) {
      if (signal.aborted) return;
      const machine = machines.get(nodeId);
      tell(nodeId, verdict);
      if (verdict.kind === 'remove') await perform(nodeId, () => remove(nodeId, verdict.reason, signal));
      // Hosts that took the place of refused ones are looked up in the next turn.
      if (verdict.kind === 'create' && machine !== undefined && verdict.names.every((name) => lives.has(name)))
        await create(machine, verdict).catch(refused(nodeId));
    }
  };

  return {
    look,
    get size() {
      return created.size + told.size + failing.size + hasHardware.size + nodes.size;
    },
  };
}

const said = ({ namespace, name, uid }: HostName): object => ({
  kind: KINDS.host.kind,
  object: keyOf({ namespace, name }),
  objectUid: uid,
});

/** The fields of a host, and of its HardwareData if there is one, that discovery uses. */
export function knownHost(host: Entry, hardwareData: Entry | undefined): KnownHost {
  const { metadata, spec, status, bmcAddress, nics = [], nodeId, operationHistory } = readHost(host.object);
  const inspected = hardwareData === undefined ? [] : readHardwareData(hardwareData.object).macs;
  const { namespace, name, uid, labels, annotations } = metadata;
  const createdAt = Date.parse(metadata.creationTimestamp) || 0;
  const begun = [operationHistory['register'], operationHistory['inspect']];
  return {
    namespace,
    name,
    uid,
    state: status.state,
    isDiscovered: labels[DISCOVERED_LABEL] === 'true',
    isDeleting: metadata.deletionTimestamp !== undefined,
    hasBmcDetails: bmcAddress !== '' || spec.credentialsName !== '',
    bmcAddress,
    reportedBmcAddress: annotations[DISCOVERY_ANNOTATIONS.bmcAddress] ?? '',
    bootMac: (spec.bootMACAddress ?? '').toLowerCase(),
    macs: [...nics.map(({ mac = '' }) => mac), ...inspected]
      .filter((mac) => mac !== '')
      .map((mac) => mac.toLowerCase()),
    nodeId,
    discoveredNode: annotations[DISCOVERY_ANNOTATIONS.node] ?? '',
    createdAt,
    begunAt: Math.max(createdAt, ...begun.map((span) => Date.parse(span?.start ?? '') || 0)),
  };
}
