import { STEERING_ANNOTATIONS } from '../../api/baremetalhost/values.ts';
import { askedBy } from './annotations.ts';

/**
 * A hold is a quarantine of many hosts whose reason begins with this word. Its end releases those alone: a host that
 * was in quarantine for another reason stays there.
 */
const HOLD = 'hold: ';

export const holdReason = (reason: string): string => `${HOLD}${reason}`;

export const isHeld = (annotations: Readonly<Record<string, string>>): boolean =>
  askedBy(annotations, STEERING_ANNOTATIONS.quarantine)?.reason.startsWith(HOLD) === true;
