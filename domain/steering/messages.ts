import { filledText, object, oneOf, type Shape } from '../message/shape.ts';
import { isCode } from './code.ts';

/** What people ask of a host or a machine besides what its spec says. */
export type SteeringMessage =
  | ({ readonly name: 'pause' | 'resume' | 'retry' | 'abort' | 'quarantine' | 'release' | 'reinspect' } & Asked)
  | ({ readonly name: 'power'; readonly to: 'on' | 'off' | 'reboot' } & Asked)
  /** `code` names what the host waits for. */
  | ({ readonly name: 'approve' | 'reject'; readonly code: string } & Asked)
  /** `confirm` repeats the host's name. */
  | ({ readonly name: 'forceDelete'; readonly confirm: string } & Asked);

export type SteeringName = SteeringMessage['name'];

/** The person who sends a message, and the reason. Each is one line of text. */
export interface Asked {
  readonly by: string;
  readonly reason: string;
}

/**
 * What a client sends with a message: `to` with `power`, `code` with `approve` and `reject`, `confirm` with
 * `forceDelete`.
 */
export interface SteeringInput extends Asked {
  readonly to?: 'on' | 'off' | 'reboot';
  readonly code?: string;
  readonly confirm?: string;
}

export const LONGEST_NAME = 100;
export const LONGEST_REASON = 300;

/** One line of printable characters, not only spaces. */
const line =
  (longest: number): Shape =>
  (value, at) => {
    const problem = filledText(value, at);
    if (problem !== undefined || typeof value !== 'string') return problem;
    if (value.trim() === '') return `${at} is empty`;
    if (value.length > longest) return `${at} is longer than ${longest} characters`;
    return /[\p{Cc}\p{Zl}\p{Zp}]/u.test(value) ? `${at} is not one line of printable characters` : undefined;
  };

export const reasonShape = line(LONGEST_REASON);
const asked = { by: line(LONGEST_NAME), reason: reasonShape };

const approvalCode: Shape = (value, at) =>
  typeof value === 'string' && isCode(value)
    ? undefined
    : `${at} is no code of a step, such as the host's details have`;

/** The shapes of the messages' inputs. */
export const STEERING_SHAPES: Readonly<Record<SteeringName, Shape>> = {
  pause: object(asked),
  resume: object(asked),
  retry: object(asked),
  abort: object(asked),
  quarantine: object(asked),
  release: object(asked),
  reinspect: object(asked),
  power: object({ ...asked, to: oneOf('on', 'off', 'reboot') }),
  approve: object({ ...asked, code: approvalCode }),
  reject: object({ ...asked, code: approvalCode }),
  forceDelete: object({ ...asked, confirm: filledText }),
};

/**
 * The name of a message in Temporal. A host is released from a machine by the update `release`, so the end of a
 * quarantine has a longer name there.
 */
export const temporalNameOf = (name: SteeringName): string => (name === 'release' ? 'releaseQuarantine' : name);

/** The message in words, as in the list on the object: `power off`. */
export const titleOf = (message: SteeringMessage): string =>
  message.name === 'power' ? `power ${message.to}` : message.name;

/** `by ada: the fan is loud`. */
export const inWords = ({ by, reason }: Asked): string =>
  `by ${by === '' ? 'an annotation' : by}${reason === '' ? '' : `: ${reason}`}`;

/** What is wrong with the input of a message; undefined: nothing. */
export const steeringRefusalOfInput = (name: SteeringName, input: SteeringInput): string | undefined =>
  STEERING_SHAPES[name](input, 'the message');
