import { describe, expect, test } from 'vitest';
import type { EntityView } from '../../domain/entity/view.ts';
import type { PublishAnswer } from '../../workflows/messages.ts';
import { createLedger } from '../ledger.ts';
import { createViewTaker } from './take-view.ts';

const aView = (epoch = 1): EntityView =>
  ({
    kind: 'BareMetalHost',
    namespace: 'metal',
    name: 'node-1',
    uid: 'u-1',
    order: { epoch, number: 1 },
  }) as EntityView;

function aTaker({ isPresent = true } = {}) {
  const ledger = createLedger();
  const letGo: ((answer: PublishAnswer) => void)[] = [];
  const { take, stop } = createViewTaker({
    publish: () => new Promise((resolve) => void letGo.push(resolve)),
    orders: { areOurs: ({ epoch }) => epoch === 1 },
    ledger,
    isPresent: () => isPresent,
  });
  return { take, stop, ledger, letGo };
}

describe('a view of a run that is in a workflow task', () => {
  test('is written', async () => {
    const { take, letGo } = aTaker();
    const taken = take(aView());
    letGo[0]?.({ kind: 'superseded' });
    expect(await taken).toEqual({ kind: 'superseded' });
  });

  test('is declined when the run would have to be asked for a newer one: this bridge has told it nothing', () => {
    expect(aTaker().take(aView(2))).toBeUndefined();
  });

  test('is declined while its object is written, which may wait for an answer of the run', () => {
    const { take, ledger } = aTaker();
    ledger.of('u-1').writing = 1;
    expect(take(aView())).toBeUndefined();
    ledger.of('u-1').writing = 0;
    expect(take(aView())).toBeDefined();
  });

  test('is declined when there is no such object', () => {
    expect(aTaker({ isPresent: false }).take(aView())).toBeUndefined();
  });

  test('is declined by a bridge that ends, which waits for those that it took', async () => {
    const { take, stop, letGo } = aTaker();
    void take(aView());
    let hasStopped = false;
    const stopped = stop(600_000).then(() => (hasStopped = true));
    expect(take(aView())).toBeUndefined();
    await new Promise(setImmediate);
    expect(hasStopped).toBe(false);
    letGo[0]?.({ kind: 'superseded' });
    await stopped;
  });

  test('is not waited for without end by a bridge that ends', async () => {
    const { take, stop } = aTaker();
    void take(aView());
    await expect(stop(1)).resolves.toBeUndefined();
  });
});
