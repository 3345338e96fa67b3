import { describe, expect, test } from 'vitest';
import type { Outcome } from '../entity/entity.ts';
import { type DataAction, type DataAnswer, type DataMemory, dataEntity } from './entity.ts';
import type { DataSnapshot } from './snapshot.ts';

const POOL = { name: 'lan', kind: 'IPPool', apiGroup: 'ipam.metal3.io' };
const DATA = { namespace: 'metal3', name: 'nodes-0', uid: 'data-uid' };
const AT = { now: 1_000, dice: 0 };
const META = { key: 'metaData', name: 'm3m-metadata', exists: false } as const;
const WRITTEN = { secrets: [{ ...META, exists: true }] } as const;

const someData = (given: Partial<DataSnapshot> = {}): DataSnapshot => ({
  ...DATA,
  resourceVersion: '1',
  generation: 1,
  creationTimestamp: '2026-08-21T00:00:00Z',
  paused: false,
  hasCluster: true,
  hasFinalizer: true,
  named: {},
  hasClaim: true,
  secrets: [META],
  unclaimed: [],
  strays: [],
  digest: 'x',
  ...given,
});
const { begin, absorb, show } = dataEntity;
const step = (memory: DataMemory, now = AT.now) => dataEntity.nextStep(memory, { now, shown: { finalizer: true } });
const after = (memory: DataMemory, action: DataAction, outcome: Outcome<DataAnswer>, now = AT.now): DataMemory =>
  dataEntity.record(memory, action, outcome, { ...AT, now, before: memory });
const done = (memory: DataMemory, action: DataAction): DataMemory =>
  after(memory, action, { kind: 'done', answer: 'done' });
const RENDER: DataAction = { name: 'render', data: DATA };

describe('a Metal3Data', () => {
  test('is held before anything is done for it', () => {
    expect(dataEntity.nextStep(begin(someData()), { now: 0, shown: null })).toEqual({ kind: 'show' });
    expect(show(begin(someData()))).toEqual({
      finalizer: true,
      spec: { metaData: { name: 'm3m-metadata', namespace: 'metal3' } },
      status: { ready: false },
    });
  });

  test('is ready once it is written, and stays so when the Secrets are seen', () => {
    const memory = begin(someData({ named: { metaData: 'm3m-metadata' } }));
    expect(step(memory)).toEqual({ kind: 'act', action: RENDER });
    const written = done(memory, RENDER);
    expect(step(written)).toEqual({ kind: 'wait', reason: 'rendered' });
    expect(show(written)).toEqual({ finalizer: true, status: { ready: true } });
    const { digest: _, ...seen } = someData(WRITTEN);
    expect(show(absorb(written, seen)).status).toEqual({ ready: true });
  });

  test('is not written again when it is known to be', () => {
    expect(step(begin(someData(WRITTEN)))).toEqual({ kind: 'wait', reason: 'rendered' });
  });

  test('is written again when a Secret is gone', () => {
    const { digest: _, ...seen } = someData(WRITTEN);
    expect(step(absorb(absorb(done(begin(someData()), RENDER), seen), someData({ digest: 'y' })))).toEqual({
      kind: 'act',
      action: RENDER,
    });
  });

  test('claims addresses once, and again when a claim vanished', () => {
    const hindrance = { kind: 'waiting', message: 'waiting for a claim for IPPool lan' } as const;
    const unclaimed = someData({ unclaimed: [POOL], hindrance });
    const claim: DataAction = { name: 'claim addresses', data: DATA, pools: [POOL] };
    expect(step(begin(unclaimed))).toEqual({ kind: 'act', action: claim });
    const claimed = done(begin(unclaimed), claim);
    expect(step(claimed)).toEqual({ kind: 'wait', reason: hindrance.message });
    expect(step(absorb(absorb(claimed, someData({ hindrance })), unclaimed))).toEqual({ kind: 'act', action: claim });
  });

  test('releases claims of an earlier Metal3Data once', () => {
    const memory = begin(someData({ strays: ['nodes-0-lan'], hindrance: { kind: 'waiting', message: 'w' } }));
    const letGo: DataAction = { name: 'let claims go', data: DATA, claims: ['nodes-0-lan'] };
    expect(step(memory)).toEqual({ kind: 'act', action: letGo });
    expect(step(done(memory, letGo))).toEqual({ kind: 'wait', reason: 'w' });
  });

  test('does again what a restore of etcd may have lost, also when it was under way', () => {
    const restored = someData({ versionsSince: 2 });
    const memory = done(begin(someData()), RENDER);
    expect(step(absorb(memory, restored))).toEqual({ kind: 'act', action: RENDER });
    const answer: Outcome<DataAnswer> = { kind: 'done', answer: 'done' };
    const before = begin(someData());
    const ended = dataEntity.record(absorb(before, restored), RENDER, answer, { ...AT, before });
    expect(step(ended)).toEqual({ kind: 'act', action: RENDER });

    const claim: DataAction = { name: 'claim addresses', data: DATA, pools: [POOL] };
    const claimed = done(begin(someData({ unclaimed: [POOL] })), claim);
    expect(step(absorb(claimed, someData({ unclaimed: [POOL], versionsSince: 2 })))).toEqual({
      kind: 'act',
      action: claim,
    });
    const leaving = someData({ deletionTimestamp: '2026-01-01T00:00:00Z', hasClaim: false });
    const release: DataAction = { name: 'release addresses', data: DATA };
    const released = done(begin(leaving), release);
    expect(step(released)).toEqual({ kind: 'gone' });
    expect(step(absorb(released, { ...leaving, versionsSince: 2 }))).toEqual({ kind: 'act', action: release });
  });

  test('shows problems, but not temporary conditions', () => {
    const shows = (kind: 'problem' | 'waiting') => show(begin(someData({ hindrance: { kind, message: 'm' } }))).status;
    expect(shows('problem')).toEqual({ ready: false, errorMessage: 'm' });
    expect(shows('waiting')).toEqual({ ready: false });
    const long = begin(someData({ hindrance: { kind: 'problem', message: 'm'.repeat(600) } }));
    expect(show(long).status?.['errorMessage']).toHaveLength(512);
  });

  test('shows what the API server refused, and tries again later and later', () => {
    const failed = after(begin(someData()), RENDER, { kind: 'failed', message: 'no' });
    expect(show(failed).status).toEqual({ ready: false, errorMessage: 'no' });
    expect(step(failed)).toEqual({ kind: 'wait', reason: 'waiting to try again after: no', cause: 'no', until: 6_000 });
    expect(step(failed, 6_000)).toEqual({ kind: 'act', action: RENDER });
    const again = after(failed, RENDER, { kind: 'failed', message: 'no' }, 6_000);
    expect(step(again, 6_000)).toMatchObject({ until: 16_000 });
    expect(show(done(again, RENDER)).status).toEqual({ ready: true });
  });

  test('is looked at again when what it is made from changed under our hands', () => {
    const changed = after(begin(someData()), RENDER, { kind: 'done', answer: 'changed' });
    expect(show(changed).status).toEqual({ ready: false });
    expect(step(changed)).toMatchObject({ kind: 'wait', until: 6_000 });
    expect(step(changed, 6_000)).toEqual({ kind: 'act', action: RENDER });
  });

  test('that is paused, or has no Cluster, is left as it is', () => {
    const paused = begin(someData({ paused: true }));
    expect([step(paused), show(paused)]).toEqual([{ kind: 'wait', reason: 'paused' }, { finalizer: true }]);
    const lone = begin(someData({ hasCluster: false }));
    const reason = 'Metal3Data is missing cluster label or cluster does not exist';
    expect([step(lone), show(lone)]).toEqual([{ kind: 'wait', reason }, { finalizer: true }]);
  });

  test('that is deleted waits for its claim, releases its addresses and goes', () => {
    const deleted = { deletionTimestamp: '2026-08-21T01:00:00Z', hasCluster: false };
    const waiting = begin(someData(deleted));
    expect(step(waiting)).toEqual({ kind: 'wait', reason: 'will be deleted when its Metal3DataClaim is gone' });
    const leaving = absorb(waiting, someData({ ...deleted, hasClaim: false }));
    const release: DataAction = { name: 'release addresses', data: DATA };
    expect(step(leaving)).toEqual({ kind: 'act', action: release });
    expect(step(done(leaving, release))).toEqual({ kind: 'gone' });
    expect(step(absorb(leaving, someData({ ...deleted, hasClaim: false, paused: true })))).toMatchObject({
      reason: 'paused',
    });
  });

  test('says in the run what it does', () => {
    const claim: DataAction = { name: 'claim addresses', data: DATA, pools: [POOL, { ...POOL, name: 'wan' }] };
    expect(dataEntity.summaryOf(claim)).toBe('Claim an address from lan, wan');
    expect(dataEntity.summaryOf(RENDER)).toBe('Write the Secrets');
  });
});
