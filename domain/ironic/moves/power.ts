import { BUSY_NODE_STATES, type IronicNode, type KnownState, RESTING_NODE_STATES } from '../node/node.ts';
import type { PowerOrder } from '../orders.ts';
import { each, rowOf } from './move.ts';

export type PowerTarget = 'power on' | 'power off' | 'soft power off' | 'rebooting' | 'soft rebooting';

export interface PowerWish {
  readonly on: boolean;
  readonly mode: 'soft' | 'hard';
  /** Power off and on again in one step. */
  readonly reboot: boolean;
  /** The node's `disable_power_off`: it is rebooted instead of powered off. */
  readonly neverOff: boolean;
  /** Automated cleaning is not wanted (any more). */
  readonly cleaningDisabled: boolean;
  /** The target of a pending change; null when there is none. */
  readonly pending: 'on' | 'off' | null;
}

export type PowerMove =
  | { readonly kind: 'set'; readonly target: PowerTarget }
  /** Abort the inspection or the cleaning first, because it controls the power itself. */
  | { readonly kind: 'abort' }
  | { readonly kind: 'wait' }
  | { readonly kind: 'done' }
  /** Ironic is busy with this node. */
  | { readonly kind: 'later'; readonly because: string };

/** Who controls the power of a node: in some states Ironic alone. */
const POWER_OF: Readonly<Record<KnownState, 'host' | 'ironic'>> = {
  ...each(RESTING_NODE_STATES, 'host'),
  ...each(BUSY_NODE_STATES, 'host'),
  ...each(['cleaning', 'clean wait', 'inspecting', 'servicing', 'service wait', 'rescuing', 'rescue wait'], 'ironic'),
  unrescuing: 'ironic',
};

const isIronics = (state: IronicNode['state']): boolean => rowOf(POWER_OF, state, 'host') === 'ironic';

/**
 * Brings the power to the desired state. An old error of Ironic does not prevent it, because it may be about something
 * else.
 */
export function powerMove(node: IronicNode, wish: PowerWish): PowerMove {
  if (wish.pending !== null) {
    return wish.pending === (wish.on ? 'on' : 'off')
      ? { kind: 'wait' }
      : { kind: 'later', because: `its power is just going ${wish.pending}` };
  }
  if (node.poweredOn === wish.on && !wish.reboot) return { kind: 'done' };
  if (!wish.on && isAbortable(node, wish)) return { kind: 'abort' };
  if (isIronics(node.state)) return { kind: 'later', because: `it is in state '${node.state}'` };
  return { kind: 'set', target: powerTarget(wish) };
}

/** The operation waits for its agent and may be aborted; automated cleaning may not be while it is wanted. */
const isAbortable = ({ state, targetState }: IronicNode, { cleaningDisabled }: PowerWish): boolean =>
  state === 'inspect wait' || (state === 'clean wait' && (targetState === 'manageable' || cleaningDisabled));

function powerTarget({ on, mode, neverOff, reboot }: PowerWish): PowerTarget {
  if (on && !reboot) return 'power on';
  if (neverOff || reboot) return mode === 'soft' ? 'soft rebooting' : 'rebooting';
  return mode === 'soft' ? 'soft power off' : 'power off';
}

/** The message for users when a power change failed. */
export function powerFailure(
  { on, mode, rebootFor }: Pick<PowerOrder, 'on' | 'mode' | 'rebootFor'>,
  reason: string,
): string {
  if (on && rebootFor === undefined) return `PowerOn operation failed: ${reason}`;
  return mode === 'soft' ? `Continuing with hard poweroff after soft poweroff fails. More details: ${reason}` : reason;
}
