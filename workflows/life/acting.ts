import { CancellationScope } from '@temporalio/workflow';
import { summaryLine } from '../../domain/entity/details.ts';
import type { Outcome, Stale } from '../../domain/entity/entity.ts';
import type { Seen } from '../../domain/entity/seen.ts';
import { same } from '../../domain/same.ts';
import { interruptedByLength } from './history.ts';
import { toOutcome } from './outcome.ts';
import { current, type Life, type Performing, type Run, setFailing, take } from './run.ts';

interface Acting {
  /** Called when the memory says what to show during the action. */
  readonly onBegun: () => void;
  /** Called before each operation. */
  readonly onOperation: () => void;
  readonly inBackground: Performing['inBackground'];
}

/**
 * Performs one action and records its outcome. The action is cancelled when it is no longer wanted, or when the run
 * becomes too long. Returns why the memory is outdated if the object did not ask for the action; then nothing was done.
 */
export async function act<Snapshot extends Seen, Memory, Action, Answer>(
  run: Run<Memory, Action>,
  { entity, perform }: Life<Snapshot, Memory, Action, Answer>,
  action: Action,
  { onBegun, onOperation, inBackground }: Acting,
): Promise<string | undefined> {
  const { seen, begun, memory: before } = current(run);
  run.waitingFor = '';
  run.since = Date.now();
  if (entity.start !== undefined && !same(action, run.resuming))
    take(run, entity.start(before, action, run.since), entity);
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
  const cancellationReason = (): string | undefined => {
    const { memory, begun: begunLast } = current(run);
    if (run.isVanished) return 'the object is gone';
    if (begunLast !== begun) return 'the run begins anew from its object';
    return run.behind ?? entity.cancellationReason?.(memory, action);
  };
  const summary = summaryLine(entity.summaryOf(action));
  const acting = scope
    .run(() => perform(action, { summary, nextNumber, cancellationReason, inBackground }))
    .then(
      (answer): Outcome<Answer> => ({ kind: 'done', answer }),
      (error): Outcome<Answer> | Stale => toOutcome(error, scope),
    );
  const isInterrupted = await interruptedByLength(scope, acting);
  const outcome = await acting;
  run.inHand = undefined;
  run.retrying = undefined;
  setFailing(run, undefined, entity);
  const now = current(run);
  if (now.seen.uid !== seen.uid || now.begun !== begun) return undefined;
  if (outcome.kind === 'stale') return outcome.message;
  if (isInterrupted && outcome.kind === 'cancelled') run.resuming = action;
  else {
    const ending = { now: Date.now(), dice: Math.random(), before };
    take(run, entity.record(now.memory, action, outcome, ending), entity);
  }
  return undefined;
}
