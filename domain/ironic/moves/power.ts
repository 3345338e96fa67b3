import type { IronicNode } from '../node/node.ts';
import type { PowerOrder } from '../orders.ts';

export type PowerTarget = 'power on' | 'power off' | 'soft power off' | 'rebooting' | 'soft rebooting';

export interface PowerWish {
  readonly on: boolean;
  readonly mode: 'soft' | 'hard';
  /** Off and on again, in one go. */
  readonly reboot: boolean;
  /** The node's `disable_power_off`: what would be an off is a reboot. */
  readonly neverOff: boolean;
  /** Automated cleaning is not wanted (any more). */
  readonly cleaningDisabled: boolean;
  /** What a pending change leads to; null when there is none. */
  readonly pending: 'on' | 'off' | null;
}

export type PowerMove =
  | { readonly kind: 'set'; readonly target: PowerTarget }
  /** End the inspection, or the cleaning, first: it powers the machine as it pleases. */
  | { readonly kind: 'abort' }
  | { readonly kind: 'wait' }
  | { readonly kind: 'done' }
  /** Ironic is at something else with this node. */
  | { readonly kind: 'later'; readonly because: string };

/** States in which the power is Ironic's alone. */
const POWER_IS_IRONICS = ['cleaning', 'clean wait', 'inspecting'];

/** Brings the power to what is wished. An old error of Ironic's stops nothing: it may be about something else. */
export function powerMove(node: IronicNode, wish: PowerWish): PowerMove {
  if (wish.pending !== null) {
    return wish.pending === (wish.on ? 'on' : 'off')
      ? { kind: 'wait' }
      : { kind: 'later', because: `its power is just going ${wish.pending}` };
  }
  if (node.poweredOn === wish.on && !wish.reboot) return { kind: 'done' };
  if (!wish.on && isAbortable(node, wish)) return { kind: 'abort' };
  if (POWER_IS_IRONICS.includes(node.state)) return { kind: 'later', because: `it is in state '${node.state}'` };
  return { kind: 'set', target: powerTarget(wish) };
}

/** Waits for its agent with nothing done that may not be broken off: automated cleaning is not among that while it is wanted. */
const isAbortable = ({ state, targetState }: IronicNode, { cleaningDisabled }: PowerWish): boolean =>
  state === 'inspect wait' || (state === 'clean wait' && (targetState === 'manageable' || cleaningDisabled));

function powerTarget({ on, mode, neverOff, reboot }: PowerWish): PowerTarget {
  if (on && !reboot) return 'power on';
  if (neverOff || reboot) return mode === 'soft' ? 'soft rebooting' : 'rebooting';
  return mode === 'soft' ? 'soft power off' : 'power off';
}

/** The text users see when the power did not come to be as wished. */
export function powerFailure(
  { on, mode, rebootFor }: Pick<PowerOrder, 'on' | 'mode' | 'rebootFor'>,
  reason: string,
): string {
  if (on && rebootFor === undefined) return `PowerOn operation failed: ${reason}`;
  return mode === 'soft' ? `Continuing with hard poweroff after soft poweroff fails. More details: ${reason}` : reason;
}
