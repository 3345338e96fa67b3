import { ANNOTATIONS, APPROVAL_ANNOTATIONS, STEERING_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { annotationValue } from '../../steering/annotations.ts';
import { answerValue } from '../../steering/answer.ts';
import { inWords, type SteeringMessage } from '../../steering/messages.ts';
import { ended, type SteeringChange } from '../../steering/steerable.ts';
import type { SteeredHost } from './refusal.ts';

/** What a message changes on a BareMetalHost. */
export function steeringChange(
  { annotations }: Pick<SteeredHost, 'annotations'>,
  message: SteeringMessage,
): SteeringChange {
  const { quarantine, abort, retry, forceDelete } = STEERING_ANNOTATIONS;
  const { given, rejected } = APPROVAL_ANNOTATIONS;
  switch (message.name) {
    case 'pause':
      return { annotations: { [ANNOTATIONS.paused]: `paused ${inWords(message)}` } };
    case 'resume':
      return { annotations: ended(annotations, ANNOTATIONS.paused, abort) };
    case 'retry':
      return { annotations: { ...ended(annotations, abort), [retry]: annotationValue(message) } };
    case 'abort':
      return { annotations: { [abort]: annotationValue(message) } };
    case 'quarantine':
      return { annotations: { [quarantine]: annotationValue(message) } };
    case 'release':
      return { annotations: ended(annotations, quarantine) };
    case 'reinspect':
      return { annotations: { [ANNOTATIONS.inspect]: '' } };
    case 'power':
      return message.to === 'reboot'
        ? { annotations: { [ANNOTATIONS.reboot]: '' } }
        : { annotations: {}, spec: { online: message.to === 'on' } };
    case 'approve':
      return { annotations: { ...ended(annotations, rejected), [given]: answerValue(message) } };
    case 'reject':
      return { annotations: { ...ended(annotations, given), [rejected]: answerValue(message) } };
    case 'forceDelete':
      return { annotations: { [forceDelete]: message.confirm } };
  }
}
