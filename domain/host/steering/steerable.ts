import { ANNOTATIONS, APPROVAL_ANNOTATIONS, STEERING_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { settledHistory } from '../../steering/history.ts';
import { judged } from '../../steering/judged.ts';
import type { Steerable } from '../../steering/steerable.ts';
import { steeringChange } from './change.ts';
import { type SteeredHost, steeringRefusal } from './refusal.ts';

/** Messages of people to BareMetalHosts. */
export const steerableHost: Steerable<SteeredHost> = {
  refusal: steeringRefusal,
  change: steeringChange,
  followed: [
    { key: STEERING_ANNOTATIONS.quarantine, what: 'quarantine', end: 'release' },
    {
      key: STEERING_ANNOTATIONS.abort,
      what: 'abort',
      end: 'resume',
      asMessage: ({ by, reason }) => ({ name: 'abort', by, reason }),
    },
    {
      key: STEERING_ANNOTATIONS.retry,
      what: 'retry',
      asMessage: ({ by, reason }) => ({ name: 'retry', by, reason }),
    },
    { key: APPROVAL_ANNOTATIONS.given, what: 'approve', isAnswer: true },
    { key: APPROVAL_ANNOTATIONS.rejected, what: 'reject', isAnswer: true },
    {
      key: STEERING_ANNOTATIONS.forceDelete,
      what: 'forceDelete',
      asMessage: ({ by, reason }, confirm) => ({ name: 'forceDelete', by, reason, confirm }),
    },
    { key: ANNOTATIONS.paused, what: 'pause', end: 'resume', ofMessages: true },
  ],
};

/**
 * The annotations of a host without those that are refused: they are about to be removed, and its run must not learn of
 * them.
 */
export function withoutRefused(host: SteeredHost): SteeredHost['annotations'] {
  const { annotations } = host;
  const { refused } = judged(settledHistory(annotations, '', steerableHost.followed), host, steerableHost);
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !refused.includes(key)));
}
