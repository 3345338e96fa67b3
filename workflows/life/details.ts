import { type DetailsLink, withProgress } from '../../domain/entity/details.ts';
import type { Entity, RelatedObject } from '../../domain/entity/entity.ts';
import { failingInWords } from '../../domain/entity/failing-request.ts';
import { joined, type Markdown, markdown } from '../../domain/entity/markdown.ts';
import { entityWorkflowId } from '../messages.ts';
import type { Refusals } from './refusals.ts';
import type { Run } from './run.ts';
import { runPath } from './run-path.ts';
import { showDetails } from './show-details.ts';

type Described<Memory, Action> = Pick<
  Entity<never, Memory, Action, never>,
  'detailsOf' | 'messagesOf' | 'nextInWords' | 'related' | 'summaryOf'
>;

/** Updates the run's current details in the Web UI; they cost no event. */
export function writeDetails<Memory, Action>(
  { state, behind, waitingFor, retrying, inHand, since, until }: Run<Memory, Action>,
  { detailsOf, messagesOf, nextInWords, related, summaryOf }: Described<Memory, Action>,
  refusals: Refusals,
): void {
  const failing = retrying === undefined ? markdown`` : markdown`\n${failingInWords(retrying)}`;
  const head: Markdown =
    state === undefined
      ? markdown``
      : withProgress(detailsOf(state.memory, waitingFor), {
          doing: inHand === undefined ? '' : summaryOf(inHand.action),
          since,
          until,
          // A run that is behind plans nothing.
          next: behind === undefined ? nextInWords?.(state.memory, until) : undefined,
          links: (related?.(state.memory) ?? []).map(linkToRun),
        });
  const messages = state === undefined ? [] : (messagesOf?.(state.memory) ?? []);
  showDetails(joined([joined([head, failing, refusals.line], ''), ...messages]));
}

/** A link within the Web UI. */
const linkToRun = ({ kind, namespace, name }: RelatedObject): DetailsLink => ({
  what: `Run of the ${kind}`,
  title: `${namespace}/${name}`,
  path: runPath(entityWorkflowId(kind, { namespace, name })),
});
