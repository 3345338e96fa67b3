import type { SearchAttributePair, SearchAttributeUpdatePair } from '@temporalio/common';
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { Entity } from '../../domain/entity/entity.ts';
import { type Listed, shortened, type WaitsFor } from '../../domain/entity/listed.ts';
import type { EntityOptions } from '../messages.ts';
import {
  SEARCH_ATTRIBUTES,
  TEMPER_CONSUMER,
  TEMPER_ERROR,
  TEMPER_KIND,
  TEMPER_NAMESPACE,
  TEMPER_OPERATION,
  TEMPER_SINCE,
  TEMPER_STATE,
  TEMPER_WAITS_FOR,
} from '../search-attributes.ts';
import { current, type Run } from './run.ts';

/** How a run is listed in the Web UI. Each change is an event of the history, so it is listed only before long work. */
export interface Listing {
  /** Called before an operation. */
  readonly beforeOperation: () => void;
  /** Called before the timer of a wait is set; for kinds that show their states. */
  readonly beforeWait: () => void;
  /**
   * Called after the timer of a wait is set; for the other kinds, so that a cancelled timer is not the last line of the
   * history.
   */
  readonly afterTimer: () => void;
}

type Listable<Memory> = Pick<Entity<never, Memory, never, never>, 'show' | 'listed'>;

export function createListing<Memory, Action>(
  run: Run<Memory, Action>,
  kind: string,
  { show, listed }: Listable<Memory>,
  { unlisted }: EntityOptions,
): Listing {
  /** The state that this run has listed, and everything that it has listed, as text. */
  let state: string | undefined;
  let all: string | undefined;

  const list = (operation?: string): void => {
    const { memory, seen } = current(run);
    const now = shortened(listed?.(memory) ?? { state: show(memory).state ?? '' });
    const key = keyOf(now, operation);
    if (state === now.state && (all === key || !hasAttributes())) return;
    state = now.state;
    all = key;
    upsertSearchAttributes(
      hasAttributes()
        ? attributesOf({ ...now, kind, namespace: seen.namespace }, operation)
        : [{ key: TEMPER_STATE, value: now.state }],
    );
  };
  const showsStates = (): boolean => unlisted !== true && show(current(run).memory).state !== undefined;

  return {
    beforeOperation() {
      if (showsStates()) list(nameOf(run.inHand?.action));
    },
    beforeWait() {
      if (showsStates()) list();
    },
    afterTimer() {
      if (listed === undefined || !hasAttributes() || showsStates()) return;
      if (!isListed(shortened(listed(current(run).memory)))) list();
    },
  };
}

/** Only a bridge that finds all search attributes in the namespace begins runs with some. */
const hasAttributes = (): boolean => workflowInfo().typedSearchAttributes.get(TEMPER_KIND) !== undefined;

const nameOf = (action: unknown): string | undefined => (action as { readonly name?: string } | undefined)?.name;

const keyOf = ({ state, error, waitsFor }: Listed, operation: string | undefined): string =>
  JSON.stringify([state, error, waitsFor, operation]);

function attributesOf(
  now: Listed & { readonly kind: string; readonly namespace: string },
  operation: string | undefined,
): SearchAttributeUpdatePair[] {
  return [
    { key: TEMPER_STATE, value: now.state },
    { key: TEMPER_KIND, value: now.kind },
    { key: TEMPER_NAMESPACE, value: now.namespace },
    { key: TEMPER_OPERATION, value: operation ?? null },
    { key: TEMPER_ERROR, value: now.error ?? null },
    { key: TEMPER_CONSUMER, value: now.consumer ?? null },
    { key: TEMPER_WAITS_FOR, value: waitsForOf(now, operation) },
    { key: TEMPER_SINCE, value: sinceOf(now) },
  ];
}

function waitsForOf({ state, waitsFor }: Listed, operation: string | undefined): WaitsFor | null {
  if (operation === undefined) return waitsFor ?? null;
  return isListedAsStuck(state) ? STUCK : HARDWARE;
}

/** True as long as the state is listed in which the run was listed as stuck, also in a run that was continued as new. */
function isListedAsStuck(state: string): boolean {
  const { typedSearchAttributes: known } = workflowInfo();
  return known.get(TEMPER_STATE) === state && known.get(TEMPER_WAITS_FOR) === STUCK;
}

/** Lists a host as stuck that is listed in this state, and waits there for hardware or for nothing that is known. */
export function listAsStuck(state: string): void {
  // The namespace may lack the attribute, and Temporal would refuse the workflow task.
  if (!hasAttributes()) return;
  const { typedSearchAttributes: known } = workflowInfo();
  const waitsFor = known.get(TEMPER_WAITS_FOR);
  const isExpected = waitsFor === undefined || waitsFor === HARDWARE;
  if (known.get(TEMPER_STATE) === state && isExpected)
    upsertSearchAttributes([{ key: TEMPER_WAITS_FOR, value: STUCK }]);
}

const HARDWARE: WaitsFor = 'hardware';
const STUCK: WaitsFor = 'stuck';

/** A run that was continued as new keeps the time of the run before it, if state and error are the same. */
function sinceOf({ state, error }: Listed): Date {
  const { typedSearchAttributes: known } = workflowInfo();
  const since = known.get(TEMPER_STATE) === state && known.get(TEMPER_ERROR) === error && known.get(TEMPER_SINCE);
  return since || new Date();
}

/** True when the run's attributes, from its start or from an earlier update, have these values already. */
function isListed({ state, error, waitsFor }: Listed): boolean {
  const { typedSearchAttributes: known } = workflowInfo();
  return (
    known.get(TEMPER_STATE) === state && known.get(TEMPER_ERROR) === error && known.get(TEMPER_WAITS_FOR) === waitsFor
  );
}

/** The attributes of the next run. Temporal would copy those with which this run began, which are outdated. */
export const listedAttributes = (): SearchAttributePair[] =>
  workflowInfo()
    .typedSearchAttributes.getAll()
    .filter(({ key }) => Object.hasOwn(SEARCH_ATTRIBUTES, key.name));
