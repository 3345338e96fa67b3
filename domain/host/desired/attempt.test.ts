import { describe, expect, test } from 'vitest';
import { aHost } from '../../../test/builders/host.ts';
import { objectOf } from '../../../test/builders/host-object.ts';
import { attemptOf } from './attempt.ts';

const START = '2026-01-01T00:00:00Z';
const consumerRef = { apiVersion: 'v1beta2', kind: 'Metal3Machine', namespace: 'metal', name: 'machine-1' };

interface Change {
  readonly uid?: string;
  readonly spec?: object;
  readonly provision?: { readonly start: string | null; readonly end: string | null };
}

/** The attempt, by the memory of the workflow and by the object. */
function attempts({ uid = 'uid-1', spec = { consumerRef }, provision = { start: START, end: null } }: Change = {}) {
  const { operationHistory } = aHost().status;
  const memory = aHost({
    state: 'provisioning',
    seen: { uid, spec },
    status: { operationHistory: { ...operationHistory, provision } },
  });
  const { metadata, spec: asked, status } = objectOf(memory);
  return [attemptOf(memory), attemptOf({ seen: { uid: metadata.uid ?? '', spec: asked }, status: status ?? {} })];
}

describe('the attempt of a host to deploy', () => {
  const [this_] = attempts();

  test('is named by uid, begin and consumer, in the same way by the workflow and by the object', () => {
    expect(attempts()).toEqual([`uid-1 ${START} metal/machine-1`, this_]);
  });

  test.each<[string, Change]>([
    ['names of its Secrets', { spec: { consumerRef, userData: { name: 'other' }, networkData: { name: 'new' } } }],
    ['API version of its consumer', { spec: { consumerRef: { ...consumerRef, apiVersion: 'v1beta1' } } }],
  ])('stays the same with other %s', (_, change) => {
    expect(attempts(change)).toEqual([this_, this_]);
  });

  test.each<[string, Change]>([
    ['of this name with another uid', { uid: 'uid-2' }],
    ['that began at another time', { provision: { start: '2026-01-01T00:10:00Z', end: null } }],
    ['for another consumer', { spec: { consumerRef: { ...consumerRef, name: 'machine-2' } } }],
    ['without a consumer', { spec: {} }],
  ])('is another one for a host %s', (_, change) => {
    const [byWorkflow, byObject] = attempts(change);
    expect(byWorkflow).toBeDefined();
    expect(byWorkflow).not.toBe(this_);
    expect(byObject).toBe(byWorkflow);
  });

  test.each<[string, Change]>([
    ['has ended', { provision: { start: START, end: '2026-01-01T00:10:00Z' } }],
    ['has not begun', { provision: { start: null, end: null } }],
  ])('is not known when its status shows that it %s', (_, change) => {
    expect(attempts(change)).toEqual([undefined, undefined]);
  });
});
