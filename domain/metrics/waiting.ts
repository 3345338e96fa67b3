import { BUDGET_EXHAUSTED, STALLED, STEP_HELD, WINDOW_CLOSED, WORKFLOW_PAUSED } from '../entity/conditions.ts';
import type { WaitsFor } from '../entity/listed.ts';
import { WAITS_FOR_CHANGE } from '../host/report/failure-words.ts';
import { HOLDS } from '../host/steering/holds.ts';
import { isBusyState, traitsOf } from '../states/table.ts';
import type { CountedHost } from './counted-host.ts';

const HELD_FOR: Readonly<Record<string, WaitsFor>> = { [WINDOW_CLOSED]: 'window', [BUDGET_EXHAUSTED]: 'budget' };

/** What a host waits for, as its object shows it, in the words of the lists of runs; undefined: nothing. */
export function waitingFor({ metadata, status = {} }: CountedHost): WaitsFor | undefined {
  const { annotations = {} } = metadata ?? {};
  const { operationalStatus, errorType = '', provisioning, conditions = [] } = status;
  const state = provisioning?.state ?? '';
  const said = (wanted: string) => conditions.find(({ type }) => type === wanted);
  const isTrue = (wanted: string) => said(wanted)?.status === 'True';
  if (isTrue(WORKFLOW_PAUSED) || HOLDS.some((key) => annotations[key] !== undefined)) return 'person';
  // A host without its Secret is not stalled: the Secret may come later. Its message alone says that it waits for it.
  if (errorType !== '')
    return isTrue(STALLED) || said('Ready')?.message?.endsWith(WAITS_FOR_CHANGE) ? 'person' : 'retry';
  const held = said(STEP_HELD);
  if (held !== undefined) return HELD_FOR[held.reason ?? ''] ?? 'person';
  if (operationalStatus === 'delayed') return 'slot';
  if (traitsOf(state).lacksBmc) return 'person';
  return isBusyState(state) ? 'hardware' : undefined;
}
