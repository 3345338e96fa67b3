import { isBusy } from '../../domain/ironic/node/node.ts';
import type { NodeStateJson } from '../../domain/ironic/node/node-json.ts';
import { isAtRest } from '../../domain/states/table.ts';
import type { BareMetalHostRead } from '../../kube/objects/baremetalhost.ts';
import type { PowerSeen, Remembered } from '../ledger.ts';
import { observedNode } from './node-drift.ts';

/**
 * The power of a host that is at rest in this list: its status shows the power of its node, and nothing is written
 * about it or done with it. undefined when it is not, or when Ironic does not say when it has switched a server.
 */
export function powerAtRest(
  { spec, status }: BareMetalHostRead,
  listed: NodeStateJson,
  { written, writing }: Pick<Remembered, 'written' | 'writing'>,
): PowerSeen | undefined {
  const node = observedNode(listed);
  const isResting = isAtRest(status.state) && !isBusy(node.state) && !node.powerPending;
  if (!isResting || writing > 0 || node.poweredOn !== status.poweredOn || !listed.driver_internal_info)
    return undefined;
  // A host that is never powered off is rebooted without showing "off", and Ironic does not restore its power.
  if (spec.disablePowerOff) return undefined;
  const { run = '', revision = 0 } = written ?? {};
  return { changedAt: listed.driver_internal_info.last_power_state_change ?? '', run, revision };
}

/**
 * The time (RFC 3339) at which Ironic switched the server of a host that was at rest in two lists, with nothing written
 * about it between them: Temper shows "off" before it switches a server on again.
 */
export function switchedBetween(before: PowerSeen | undefined, now: PowerSeen | undefined): string | undefined {
  if (before === undefined || now === undefined) return undefined;
  if (before.run !== now.run || before.revision !== now.revision) return undefined;
  // An Ironic that was restored from a backup reports an earlier time.
  return now.changedAt > before.changedAt ? `${now.changedAt.slice(0, SECONDS)}Z` : undefined;
}

const SECONDS = '2026-01-01T00:00:00'.length;
