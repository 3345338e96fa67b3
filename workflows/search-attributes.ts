import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common';
import type { EntityKind } from '../api/kind.ts';

/** The search attributes of runs, for lists in the Web UI. Bridge and workers register them at their start. */

/** The state of a run's object: the provisioning state of a host, the phase of a machine. */
export const TEMPER_STATE = defineSearchAttributeKey('TemperState', 'KEYWORD');
/** The kind as in the API, for example `BareMetalHost`; runs of operations have none. */
export const TEMPER_KIND = defineSearchAttributeKey('TemperKind', 'KEYWORD');
export const TEMPER_NAMESPACE = defineSearchAttributeKey('TemperNamespace', 'KEYWORD');
/** The operation that is running, on the run of the host and on that of the operation. */
export const TEMPER_OPERATION = defineSearchAttributeKey('TemperOperation', 'KEYWORD');
/** Class of the error that the object shows. */
export const TEMPER_ERROR = defineSearchAttributeKey('TemperError', 'KEYWORD');
/** `<namespace>/<name>` of the object that uses a host. */
export const TEMPER_CONSUMER = defineSearchAttributeKey('TemperConsumer', 'KEYWORD');
/** What is waited for: hardware, stuck (hardware, for too long), person, retry, window, budget, slot or host. */
export const TEMPER_WAITS_FOR = defineSearchAttributeKey('TemperWaitsFor', 'KEYWORD');
/** Since when the other attributes are as they are. */
export const TEMPER_SINCE = defineSearchAttributeKey('TemperSince', 'DATETIME');

/** All of them, by name, with their types as the server names them. */
export const SEARCH_ATTRIBUTES = {
  TemperState: 'Keyword',
  TemperKind: 'Keyword',
  TemperNamespace: 'Keyword',
  TemperOperation: 'Keyword',
  TemperError: 'Keyword',
  TemperConsumer: 'Keyword',
  TemperWaitsFor: 'Keyword',
  TemperSince: 'Datetime',
} as const;

/** The search attributes with which the run of an object begins; they cost no event. */
export function firstAttributes(
  { kind, workflow: { firstState } }: EntityKind,
  namespace: string,
): SearchAttributePair[] {
  return [
    { key: TEMPER_KIND, value: kind },
    { key: TEMPER_NAMESPACE, value: namespace },
    ...(firstState === undefined ? [] : [{ key: TEMPER_STATE, value: firstState }]),
  ];
}
