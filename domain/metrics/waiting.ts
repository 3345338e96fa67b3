import { RECONCILING, STALLED, STEP_HELD, WORKFLOW_PAUSED } from '../entity/conditions.ts';
import type { WaitsFor } from '../entity/listed.ts';
import { isHeldBy } from '../host/steering/holds.ts';
import { endedBy, type WaitReason } from '../host/waits.ts';
import { isBusyState } from '../states/table.ts';
import type { CountedHost } from './counted-host.ts';

/** What a host waits for, as its object shows it, in the words of the lists of runs; undefined: nothing. */
export function waitingFor({ metadata, status = {} }: CountedHost): WaitsFor | undefined {
  const { operationalStatus = '', errorType = '', provisioning, conditions = [] } = status;
  const state = provisioning?.state ?? '';
  const said = (wanted: string) => conditions.find(({ type }) => type === wanted);
  const isTrue = (wanted: string) => said(wanted)?.status === 'True';
  const failed = (): string => {
    if (isTrue(STALLED)) return said(STALLED)?.reason ?? '';
    // A host without its Secret is not stalled: the Secret may come later.
    return said(RECONCILING)?.reason === SECRET ? SECRET : RETRYING;
  };
  const waits = endedBy({
    isHeld: isTrue(WORKFLOW_PAUSED) || isHeldBy(metadata?.annotations ?? {}),
    failed: errorType === '' ? undefined : failed(),
    held: said(STEP_HELD)?.reason,
    operationalStatus,
    state,
  });
  return waits ?? (isBusyState(state) ? 'hardware' : undefined);
}

const SECRET: WaitReason = 'WaitingForSecret';
const RETRYING: WaitReason = 'Retrying';
