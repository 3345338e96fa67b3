import type { SignalDefinition, UpdateDefinition } from '@temporalio/common';
import { ApplicationFailure, setHandler, type Workflow } from '@temporalio/workflow';
import type { Shape } from '../../domain/message/shape.ts';
import type { Refusals } from './refusals.ts';

/** What a message may ask of the life it is sent to. */
export interface Listened<Memory> {
  readonly uid: string;
  readonly memory: Memory;
  /** The object is known to be gone. */
  readonly isVanished: boolean;
  /** An action is in hand. */
  readonly isBusy: boolean;
}

/** How a life takes messages. Each is checked before anything of it is remembered. */
export interface Listening<Memory> {
  /** Undefined before the first snapshot. */
  readonly known: () => Listened<Memory> | undefined;
  /** Takes on a memory that a message led to. Throws, and changes nothing, when the entity can make nothing of it. */
  readonly take: (memory: Memory) => void;
  /** A signal that is malformed is ignored, logged and counted. */
  readonly signal: <Input>(definition: SignalDefinition<[Input]>, handler: SignalHandler<Input>) => void;
  /** An update that is malformed, or that `refusal` has a reason against, is refused without a trace. Updates of an object are performed one by one. */
  readonly update: <Input, Result>(
    definition: UpdateDefinition<Result, [Input]>,
    handler: UpdateHandler<Input, Result>,
  ) => void;
}

interface SignalHandler<Input> {
  readonly description: string;
  readonly shape: Shape;
  readonly hear: (input: Input) => void;
}

interface UpdateHandler<Input, Result> {
  readonly description: string;
  readonly shape: Shape;
  /** Why it can't be done; undefined: nothing that is known speaks against it. */
  readonly refusal?: (input: Input) => string | undefined;
  /** What it calls is bounded in time: no run is continued as new before its updates have ended. */
  readonly perform: (input: Input) => Promise<Result>;
}

/** Sets the handler of a signal, which takes nothing that is malformed or that it can make nothing of. */
export const checkedSignals =
  (refusals: Refusals): Listening<never>['signal'] =>
  (definition, { description, shape, hear }) => {
    const handle = (...inputs: readonly unknown[]): void => {
      const problem = shape(inputs[0], 'the message');
      if (problem !== undefined) return refusals.ignore(definition.name, problem);
      try {
        hear(inputs[0] as never);
      } catch (error) {
        refusals.ignore(definition.name, `it makes no sense: ${said(error)}`);
      }
    };
    setHandler(definition as unknown as SignalDefinition<unknown[]>, handle, { description });
  };

export function listening<Memory>({
  refusals,
  known,
  take,
}: Pick<Listening<Memory>, 'known' | 'take'> & { readonly refusals: Refusals }): Listening<Memory> {
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
        const problem = shape(inputs[0], 'the message') ?? refusal?.(inputs[0] as never);
        if (problem !== undefined) throw ApplicationFailure.nonRetryable(problem, 'Refused');
      };
      const handle = (...inputs: readonly unknown[]): ReturnType<Workflow> => inTurn(() => perform(inputs[0] as never));
      setHandler(definition as unknown as UpdateDefinition<unknown, unknown[]>, handle, { description, validator });
    },
  };
}

const said = (error: unknown): string => (error instanceof Error ? error.message : String(error));
