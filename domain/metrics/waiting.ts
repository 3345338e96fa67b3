import { BUDGET_EXHAUSTED, STALLED, STEP_HELD, WINDOW_CLOSED, WORKFLOW_PAUSED } from '../entity/conditions.ts';
import type { WaitsFor } from '../entity/listed.ts';
import { WAITS_FOR_CHANGE } from '../host/report/failure-words.ts';
import { HOLDS } from '../host/steering/holds.ts';
import { isBusyState, traitsOf } from '../states/table.ts';
import type { CountedCondition, CountedHost } from './counted-host.ts';

/** Waits that end by themselves, and the words with which the message tells of one that only a person ends. */
const HELD_FOR: Readonly<Record<string, { readonly what: WaitsFor; readonly endless: RegExp } | undefined>> = {
  [WINDOW_CLOSED]: { what: 'window', endless: /, which is never open, to / },
  [BUDGET_EXHAUSTED]: { what: 'budget', endless: /^waiting for a budget that can't be read, / },
};

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
  if (held !== undefined) return heldFor(held);
  if (operationalStatus === 'delayed') return 'slot';
  if (traitsOf(state).lacksBmc) return 'person';
  return isBusyState(state) ? 'hardware' : undefined;
}

function heldFor({ reason = '', message = '' }: CountedCondition): WaitsFor {
  const known = HELD_FOR[reason];
  return known === undefined || known.endless.test(message) ? 'person' : known.what;
}
