import { ANNOTATIONS, APPROVAL_ANNOTATIONS, STEERING_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import type { Steerable } from '../../steering/steerable.ts';
import { steeringChange } from './change.ts';
import { type SteeredHost, steeringRefusal } from './refusal.ts';

/** Messages of people to BareMetalHosts. */
export const steerableHost: Steerable<SteeredHost> = {
  refusal: steeringRefusal,
  change: steeringChange,
  followed: [
    { key: STEERING_ANNOTATIONS.quarantine, what: 'quarantine', end: 'release' },
    { key: STEERING_ANNOTATIONS.abort, what: 'abort', end: 'resume' },
    { key: STEERING_ANNOTATIONS.retry, what: 'retry' },
    { key: APPROVAL_ANNOTATIONS.given, what: 'approve', isAnswer: true },
    { key: APPROVAL_ANNOTATIONS.rejected, what: 'reject', isAnswer: true },
    { key: STEERING_ANNOTATIONS.forceDelete, what: 'forceDelete' },
    { key: ANNOTATIONS.paused, what: 'pause', end: 'resume', ofMessages: true },
  ],
};
