import { ANNOTATIONS, type ProvisioningState } from '../../../api/baremetalhost/values.ts';
import type { HostSnapshot } from '../memory/snapshot.ts';

/** What the annotation `detached` asks for. */
export interface Detachment {
  /** What a deletion means while it is there: the host goes as it is, or its deletion waits. */
  readonly deleteAction: 'delete' | 'delay';
  /** Whatever the host is doing is given up for it. */
  readonly force: boolean;
}

/** Any text asks for it, JSON may say more; what of it makes no sense is passed over, as upstream does. */
export function detachmentAsked({ annotations }: Pick<HostSnapshot, 'annotations'>): Detachment | undefined {
  const value = annotations[ANNOTATIONS.detached];
  if (value === undefined) return undefined;
  const { deleteAction, force } = parsed(value);
  return { deleteAction: deleteAction === 'delay' ? 'delay' : 'delete', force: force === true };
}

function parsed(text: string): { readonly deleteAction?: unknown; readonly force?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** In these a host has nothing in hand that being detached would spoil; elsewhere it takes force. */
const AT_REST: readonly ProvisioningState[] = ['provisioned', 'externally provisioned', 'available', 'ready'];

/** Whether a host in this state may be taken out of Ironic now. */
export const mayDetach = (asked: Detachment, state: ProvisioningState): boolean =>
  state !== 'deleting' && (asked.force || AT_REST.includes(state));
