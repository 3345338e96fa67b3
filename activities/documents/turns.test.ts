import { expect, test } from 'vitest';
import { createTurns } from './turns.ts';

test('work that nobody waits for any more has no turn', () => {
  const turns = createTurns<number>();
  for (const [work, tenant] of ['a', 'a', 'b'].entries()) turns.add(tenant, work);
  turns.drop('a', 0);
  turns.drop('b', 2);
  turns.drop('c', 3);
  expect(turns.next()).toEqual({ tenant: 'a', work: 1 });
  expect(turns.next()).toBeUndefined();
});

test('tenants have their turn one after the other, and one place each', () => {
  const turns = createTurns<number>();
  for (const [work, tenant] of ['a', 'a', 'a', 'b', 'c', 'b'].entries()) turns.add(tenant, work);
  const served: string[] = [];
  const serve = (): string | undefined => {
    const turn = turns.next();
    if (turn !== undefined) served.push(`${turn.tenant}${turn.work}`);
    return turn?.tenant;
  };
  expect([serve(), serve(), serve(), serve()]).toEqual(['a', 'b', 'c', undefined]);
  for (const tenant of ['a', 'b', 'c']) turns.done(tenant);
  expect([serve(), serve(), serve()]).toEqual(['a', 'b', undefined]);
  turns.done('a');
  serve();
  expect(served).toEqual(['a0', 'b3', 'c4', 'a1', 'b5', 'a2']);
});
