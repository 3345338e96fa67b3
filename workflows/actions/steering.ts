import { uuid4 } from '@temporalio/workflow';
import type { ObjectName, ObjectRef } from '../../domain/entity/object-ref.ts';
import { STEERING_SHAPES, type SteeringMessage, type SteeringName } from '../../domain/steering/messages.ts';
import { type WithSteered, withSteered } from '../../domain/steering/steered.ts';
import type { CheckedMessages } from '../life/checked-messages.ts';
import { refused } from '../life/refusals.ts';
import { STEERING_MESSAGES, type SteerAnswer } from '../messages.ts';

/** A message that is being handled. `id` is unique for it. */
export interface MessageInHand<Memory> {
  readonly object: ObjectRef;
  readonly id: string;
  readonly memory: Memory;
  readonly message: SteeringMessage;
}

/** How a kind takes messages of people. */
interface Steering<Memory> {
  /** The word for its objects, for people. */
  readonly what: string;
  /** The messages that it takes, with what each does. */
  readonly descriptions: Readonly<Partial<Record<SteeringName, string>>>;
  /** Changes the object as the message asks. */
  readonly perform: (steered: MessageInHand<Memory>) => Promise<SteerAnswer>;
}

/**
 * Sets the handlers of messages of people: for each an update, which answers, and a signal of the same name. A message
 * changes the object; the run then reacts to the changed object, as it does when somebody uses kubectl.
 */
export function listenForSteering<Memory extends WithSteered & { readonly seen: ObjectName }>(
  { what, descriptions, perform }: Steering<Memory>,
  { signal, update, known, take }: CheckedMessages<Memory>,
): void {
  const gone = `the ${what} does not exist any more`;
  /** The bridge checks the message against the object, which may be newer than this memory. */
  const refusal = (): string | undefined => {
    const object = known();
    return object === undefined || object.isVanished ? gone : undefined;
  };
  const steer = async (message: SteeringMessage): Promise<string> => {
    const before = known();
    if (before === undefined) throw refused(message.name, gone);
    const { uid, memory } = before;
    const { namespace, name } = memory.seen;
    const answer = await perform({ object: { namespace, name, uid }, id: uuid4(), memory, message });
    if (answer.kind === 'refused') throw refused(message.name, `${message.name} ${name}: ${answer.why}`);
    const now = known();
    if (now !== undefined && now.uid === uid) take(withSteered(now.memory, message, answer.at));
    return answer.said;
  };

  for (const [name, does] of Object.entries(descriptions) as readonly (readonly [SteeringName, string])[]) {
    const { asUpdate, asSignal } = STEERING_MESSAGES[name];
    const messageFrom = (input: object): SteeringMessage => ({ ...input, name }) as SteeringMessage;
    const shape = STEERING_SHAPES[name];
    const description = `${does}; sent by people, with by and reason`;
    update(asUpdate, { description, shape, refusal, perform: (input) => steer(messageFrom(input)) });
    signal(asSignal, {
      description,
      shape,
      async onSignal(input) {
        await steer(messageFrom(input));
      },
    });
  }
}
