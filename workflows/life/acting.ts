import { CancellationScope } from '@temporalio/workflow';
import type { Outcome } from '../../domain/entity/entity.ts';
import type { Seen } from '../../domain/entity/seen.ts';
import { same } from '../../domain/same.ts';
import { interruptedByLength } from './history.ts';
import { toOutcome } from './outcome.ts';
import { current, type Life, type Run, take } from './run.ts';

/** What performing an action may need to know of the life that it is part of. */
export interface Performing {
  readonly summary: string;
  /** Number of the next operation: child workflows are numbered through. */
  readonly nextNumber: () => number;
  /** What need not have ended before the next step; it never fails, and the run does not end before it has ended. */
  readonly inBackground: (doing: Promise<void>) => void;
}

interface Acting {
  /** Called as soon as what is to be shown meanwhile is known. */
  readonly onBegun: () => void;
  /** Called before an operation, which takes long. */
  readonly onOperation: () => void;
  readonly inBackground: Performing['inBackground'];
}

/** Does one action and records how it ended; given up when the wish changes meanwhile, or when the run becomes too long. */
export async function act<Snapshot extends Seen, Memory, Action, Answer>(
  run: Run<Memory, Action>,
  { entity, perform }: Life<Snapshot, Memory, Action, Answer>,
  action: Action,
  { onBegun, onOperation, inBackground }: Acting,
): Promise<void> {
  const { seen, begun, memory: before } = current(run);
  run.waitingFor = '';
  if (entity.start !== undefined && !same(action, run.resuming)) take(run, entity.start(before, action), entity);
  run.resuming = undefined;
  const scope = new CancellationScope();
  run.inHand = { action, scope };
  onBegun();
  const nextNumber = (): number => {
    const operations = current(run).operations + 1;
    run.state = { ...current(run), operations };
    onOperation();
    return operations;
  };
  const acting = scope
    .run(() => perform(action, { summary: entity.summaryOf(action), nextNumber, inBackground }))
    .then(
      (answer): Outcome<Answer> => ({ kind: 'done', answer }),
      (error) => toOutcome(error, scope),
    );
  const isInterrupted = await interruptedByLength(scope, acting);
  const outcome = await acting;
  run.inHand = undefined;
  run.retrying = undefined;
  const now = current(run);
  if (now.seen.uid !== seen.uid || now.begun !== begun) return;
  if (isInterrupted && outcome.kind === 'cancelled') run.resuming = action;
  else {
    const ending = { now: Date.now(), dice: Math.random(), before };
    take(run, entity.record(now.memory, action, outcome, ending), entity);
  }
}
