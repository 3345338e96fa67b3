import type { SignalDefinition, UpdateDefinition } from '@temporalio/common';
import { setHandler, type Workflow } from '@temporalio/workflow';
import { type Shape, shallow } from '../../domain/message/shape.ts';
import { messageOf } from '../../domain/message-of.ts';
import { type Refusals, refused } from './refusals.ts';

/** What a handler may read of the run. */
export interface KnownRun<Memory> {
  readonly uid: string;
  readonly memory: Memory;
  /** The object no longer exists. */
  readonly isVanished: boolean;
  /** An action is running. */
  readonly isBusy: boolean;
}

/** How a run takes messages. Each is checked before it changes the memory. */
export interface CheckedMessages<Memory> {
  /** Undefined before the first snapshot. */
  readonly known: () => KnownRun<Memory> | undefined;
  /** Stores a memory. Throws, and changes nothing, when the entity throws for it. */
  readonly take: (memory: Memory) => void;
  /** A signal that is malformed is ignored, logged and counted. */
  readonly signal: <Input>(definition: SignalDefinition<[Input]>, handler: SignalHandler<Input>) => void;
  /**
   * An update that is malformed, or that `refusal` gives a reason against, is refused without an entry in the history.
   * Updates of an object are performed one by one.
   */
  readonly update: <Input, Result>(
    definition: UpdateDefinition<Result, [Input]>,
    handler: UpdateHandler<Input, Result>,
  ) => void;
}

interface SignalHandler<Input> {
  readonly description: string;
  readonly shape: Shape;
  /** May return a promise: the run is not continued as new before it settles. */
  readonly onSignal: (input: Input) => void | Promise<void>;
}

interface UpdateHandler<Input, Result> {
  readonly description: string;
  readonly shape: Shape;
  /** Why the update is refused; undefined: it is accepted. */
  readonly refusal?: (input: Input) => string | undefined;
  /**
   * Performs the update. Its activities must have a time limit: a run is not continued as new before its updates have
   * ended.
   */
  readonly perform: (input: Input) => Promise<Result>;
}

/** Sets the handler of a signal; a signal that is malformed, or makes the handler throw, is ignored. */
export const checkedSignals =
  (refusals: Refusals): CheckedMessages<never>['signal'] =>
  (definition, { description, shape, onSignal }) => {
    const handle = (...inputs: readonly unknown[]): void | Promise<void> => {
      const problem = shallow(shape)(inputs[0], 'the message');
      if (problem !== undefined) return refusals.ignore(definition.name, problem);
      const refuse = (error: unknown): void =>
        refusals.ignore(definition.name, `it could not be processed: ${messageOf(error)}`);
      try {
        return onSignal(inputs[0] as never)?.catch(refuse);
      } catch (error) {
        return refuse(error);
      }
    };
    setHandler(definition as unknown as SignalDefinition<unknown[]>, handle, { description });
  };

export function checkedMessages<Memory>({
  refusals,
  known,
  take,
}: Pick<CheckedMessages<Memory>, 'known' | 'take'> & { readonly refusals: Refusals }): CheckedMessages<Memory> {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(perform: () => Promise<Result>): Promise<Result> => {
    const turn = last.then(perform, perform);
    last = turn.catch(() => undefined);
    return turn;
  };
  return {
    known,
    take,
    signal: checkedSignals(refusals),
    update(definition, { description, shape, refusal, perform }) {
      const validator = (...inputs: readonly unknown[]): void => {
        const problem = shallow(shape)(inputs[0], 'the message') ?? refusal?.(inputs[0] as never);
        if (problem !== undefined) throw refused(definition.name, problem);
      };
      const handle = (...inputs: readonly unknown[]): ReturnType<Workflow> => inTurn(() => perform(inputs[0] as never));
      setHandler(definition as unknown as UpdateDefinition<unknown, unknown[]>, handle, { description, validator });
    },
  };
}
