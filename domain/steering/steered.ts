import { type Asked, type SteeringMessage, titleOf } from './messages.ts';

/** A message of a person that has changed the object. */
export interface Steered extends Asked {
  /** RFC 3339. */
  readonly at: string;
  readonly what: string;
}

/** The part of a memory with the last messages that the run has taken. */
export interface WithSteered {
  readonly steered?: readonly Steered[];
}

/** Number of messages that a run shows. The list on the object has more. */
const SHOWN = 5;

/** The memory with a message that has changed the object. `at`: RFC 3339. */
export function withSteered<Memory extends WithSteered>(memory: Memory, message: SteeringMessage, at: string): Memory {
  const { by, reason } = message;
  const entry: Steered = { at, what: titleOf(message), by, reason };
  return { ...memory, steered: [...(memory.steered ?? []), entry].slice(-SHOWN) };
}
