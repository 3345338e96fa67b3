import { ANNOTATIONS, type ProvisioningState } from '../../../api/baremetalhost/values.ts';
import { BOUNDS } from '../../bounds/bounds.ts';
import { boundedJson } from '../../bounds/json.ts';
import { isAtRest, traitsOf } from '../../states/table.ts';
import type { HostSnapshot } from './snapshot.ts';

/** The request in the annotation `detached`. */
export interface Detachment {
  /** How a deletion is handled meanwhile: the host is deleted without deprovisioning, or the deletion waits. */
  readonly deleteAction: 'delete' | 'delay';
  /** The running operation is aborted for it. */
  readonly force: boolean;
}

/** Any text requests it, JSON may have options; invalid options are ignored, as upstream does. */
export function detachmentAsked({ annotations }: Pick<HostSnapshot, 'annotations'>): Detachment | undefined {
  const value = annotations[ANNOTATIONS.detached];
  if (value === undefined) return undefined;
  const { deleteAction, force } = parsed(value);
  return { deleteAction: deleteAction === 'delay' ? 'delay' : 'delete', force: force === true };
}

function parsed(text: string): { readonly deleteAction?: unknown; readonly force?: unknown } {
  try {
    const value: unknown = boundedJson(text, BOUNDS.annotation);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Whether a host in this state can be detached now. A detachment that would disturb an operation needs force. */
export const mayDetach = (asked: Detachment, state: ProvisioningState): boolean =>
  traitsOf(state).work !== 'delete' && (asked.force || isAtRest(state));
