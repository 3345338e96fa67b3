import type { Entity } from '../../../domain/entity/entity.ts';
import { markdown } from '../../../domain/entity/markdown.ts';
import type { Seen } from '../../../domain/entity/seen.ts';
import { object, text } from '../../../domain/message/shape.ts';

/**
 * A kind for this test: a widget has a desired colour, is painted in it, and is washed before it is deleted. A widget
 * without a colour is a draft, which can be deleted at once.
 */
export interface WidgetSeen extends Seen {
  readonly colour: string;
  /** The palette that the widget names; undefined when it does not exist. */
  readonly palette?: readonly string[];
}

export interface WidgetMemory {
  readonly seen: WidgetSeen;
  readonly painted: string;
  readonly failed: string;
  readonly washed: boolean;
}

export type WidgetAction = { readonly name: 'paint'; readonly colour: string } | { readonly name: 'wash' };

const begin = (seen: WidgetSeen): WidgetMemory => ({ seen, painted: '', failed: '', washed: false });

export const widget: Entity<WidgetSeen, WidgetMemory, WidgetAction, string> = {
  snapshot: object({ colour: text }),
  begin,
  absorb: (memory, seen) => ({ ...memory, seen, failed: '' }),
  nextStep({ seen, painted, failed, washed }, { shown }) {
    if (seen.deletionTimestamp !== undefined)
      return washed ? { kind: 'gone' } : { kind: 'act', action: { name: 'wash' } };
    if (seen.colour === '') return { kind: 'wait', reason: 'a draft' };
    if (shown?.finalizer !== true) return { kind: 'show' };
    if (seen.palette?.includes(seen.colour) !== true) return { kind: 'wait', reason: `no palette has ${seen.colour}` };
    if (failed !== '') return { kind: 'wait', reason: failed };
    if (painted !== seen.colour) return { kind: 'act', action: { name: 'paint', colour: seen.colour } };
    return { kind: 'wait', reason: 'painted' };
  },
  record(memory, action, outcome) {
    if (outcome.kind === 'cancelled') return memory;
    if (outcome.kind === 'failed') return { ...memory, failed: outcome.message };
    return action.name === 'wash' ? { ...memory, washed: true } : { ...memory, painted: outcome.answer };
  },
  show: ({ painted, failed, seen }) => ({
    ...(seen.colour !== '' && { finalizer: true }),
    annotations: { 'example.temper/was': seen.colour },
    ...(painted !== '' && { spec: { filledIn: painted } }),
    status: { painted },
    timed: true,
    conditions: [
      {
        type: 'Ready',
        status: painted === seen.colour ? 'True' : 'False',
        reason: failed === '' ? 'Painting' : 'Failed',
        message: failed,
      },
    ],
    legacyConditions: [{ type: 'Ready', status: painted === seen.colour ? 'True' : 'False' }],
  }),
  stillWanted: ({ seen }, action) => action.name === 'wash' || seen.colour === action.colour,
  summaryOf: (action) => (action.name === 'wash' ? 'Wash' : `Paint ${action.colour}`),
  detailsOf: ({ seen }, waitingFor) => markdown`**${seen.name}**: ${waitingFor}`,
};
