import type { Seen } from '../entity/seen.ts';
import type { HostFacts } from '../machine/choose-host/host-facts.ts';
import type { HostNews } from '../machine/memory/snapshot.ts';
import { flag, list, object, optional, type Shape, table, text, whole } from '../message/shape.ts';
import type { Authority } from './authority.ts';
import type { HostWish, InvalidWish } from './provider-spec.ts';

/** A Machine of the Machine API. */
export interface MachineName {
  readonly namespace: string;
  readonly name: string;
  readonly api: string;
}

export interface MachineApiSettings {
  /** Temper also does the work of OpenShift's machine controller: finalizer, phase, Node. */
  readonly isController: boolean;
  /** A released host stays powered on while it is cleaned. */
  readonly fastTrack: boolean;
}

/** The Node of a Machine. */
export interface NodeSeen {
  readonly name: string;
  readonly uid: string;
  readonly providerID: string;
  /** The Machine that its annotation names; '' without it. */
  readonly machine: string;
  /** It has the finalizer of a former actuator. */
  readonly hasLegacyFinalizer: boolean;
  /** It lacks labels or taints that the Machine's spec names; absent where OpenShift's controllers write these. */
  readonly lacks?: boolean;
}

/** What the annotations of a Machine say about its remediation. */
export interface RemediationSeen {
  readonly isRequested: boolean;
  /** Its host was off, and its Node is deleted. */
  readonly isPoweredOff: boolean;
  /** It has the labels or annotations of the Node that was deleted. */
  readonly hasBackup: boolean;
  /** RFC 3339; '' before the host is powered on. */
  readonly deadline: string;
  /** The Machine is deleted if its Node does not come back: its owner makes another one. */
  readonly mayReplace: boolean;
  /** From its MachineHealthCheck; ms. */
  readonly startupTimeoutMs?: number;
}

/** A Machine of the Machine API as the bridge last saw it, with everything that its decisions depend on. */
export interface MachineApiSnapshot extends Seen {
  /** Its `group/version`. */
  readonly api: string;
  readonly settings: MachineApiSettings;
  readonly authority?: Authority;
  /** It has the finalizer of the machine controller. */
  readonly isAdopted: boolean;
  /** It has the finalizer that we add. */
  readonly hasFinalizer: boolean;
  readonly desired: HostWish | InvalidWish;
  readonly providerID: string;
  /** `<namespace>/<name>` of the host that it names; '' when it names none. */
  readonly link: string;
  /** Why the providerID names no host. */
  readonly linkProblem?: string;
  /** The host that the Machine names or, if it names none, the host whose consumer it is. */
  readonly host?: HostFacts;
  /** Only for a Machine without a host. */
  readonly hostNews?: HostNews;
  /** The Node that nodeRef names, or else the Node that has the providerID or an address of the host. */
  readonly node?: NodeSeen;
  /** Name of the Node in the status of the Machine. */
  readonly nodeRef?: string;
  /** Names of lifecycle hooks that delay its deletion. */
  readonly hooks: readonly string[];
  /** False while another controller drains its Node. */
  readonly isDrained: boolean;
  /** Absent when no annotation is about it. */
  readonly remediation?: RemediationSeen;
  /** The name of the retry for which an annotation asks. */
  readonly retry?: string;
}

const host = object({ namespace: text, name: text, uid: text, resourceVersion: text, state: text, labels: table });

export const MACHINE_API_SHAPE: Shape = object({
  api: text,
  settings: object({ isController: flag, fastTrack: flag }),
  authority: optional(object({ api: text, isUnsaid: optional(flag) })),
  isAdopted: flag,
  hasFinalizer: flag,
  desired: table,
  providerID: text,
  link: text,
  linkProblem: optional(text),
  host: optional(host),
  hostNews: optional(object({ bridge: text, count: whole(0) })),
  node: optional(
    object({ name: text, uid: text, providerID: text, machine: text, hasLegacyFinalizer: flag, lacks: optional(flag) }),
  ),
  nodeRef: optional(text),
  hooks: list(text, 1_000),
  isDrained: flag,
  remediation: optional(
    object({
      isRequested: flag,
      isPoweredOff: flag,
      hasBackup: flag,
      deadline: text,
      mayReplace: flag,
      startupTimeoutMs: optional(whole(0)),
    }),
  ),
  retry: optional(text),
});
