import { STEP_HELD } from '../../domain/entity/conditions.ts';
import { isHeldBy } from '../../domain/host/steering/holds.ts';
import { isBusyState } from '../../domain/states/table.ts';
import type { HostProgress } from '../../domain/usual-times/busy-state.ts';
import { modelOf } from '../../domain/usual-times/model.ts';
import { STUCK } from '../../domain/usual-times/stuck.ts';
import { KINDS } from '../../kube/kinds.ts';
import { isObject } from '../../kube/merge-patch.ts';
import type { Writable } from '../../kube/objects/any-object.ts';
import { readHost } from '../../kube/objects/baremetalhost.ts';
import type { Index } from '../../kube/store.ts';
import { isPausedOrMoved } from '../bindings/baremetalhost/resource.ts';

/** The facts of a host that usual times need, from its object. */
export interface TimedHost extends HostProgress {
  readonly model: string;
  /** When its status was written; ms since the epoch. Not a number before the first time. */
  readonly shownAt: number;
}

export function seenHost(object: Writable): TimedHost {
  const { systemVendor, bmcAddress } = readHost(object);
  return { ...progressOf(object), model: modelOf(systemVendor, bmcAddress), shownAt: shownAtIn(object) };
}

/** Without a parser: it is called for each write of a status. */
export function progressOf(object: Pick<Writable, 'metadata' | 'status'>): HostProgress {
  const { provisioning, operationalStatus, conditions } = object.status;
  return {
    state: isObject(provisioning) ? textIn(provisioning['state']) : '',
    operationalStatus: textIn(operationalStatus),
    isPaused: isPausedOrMoved(object) || isHeldBy(object.metadata.annotations) || hasCondition(conditions, STEP_HELD),
  };
}

export const shownAtIn = ({ status }: Pick<Writable, 'status'>): number => Date.parse(textIn(status['lastUpdated']));

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

export const BUSY_OR_STUCK = 'busy or stuck';

/** The hosts that are being worked on, or are shown as stuck. */
export const busyHosts: Index = {
  kind: KINDS.host,
  *keysOf({ object }) {
    const { status, carriedStatus } = readHost(object);
    if (isBusyState(status.state) || hasCondition(carriedStatus['conditions'], STUCK)) yield BUSY_OR_STUCK;
  },
};

const hasCondition = (conditions: unknown, type: string): boolean =>
  Array.isArray(conditions) && conditions.some((each) => isObject(each) && each['type'] === type);
