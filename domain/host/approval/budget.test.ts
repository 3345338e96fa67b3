import { describe, expect, test } from 'vitest';
import { readBudgets } from './budget.ts';
import { countedLabels, needsOf, unreadableBudgets } from './policy.ts';

const ZONE = 'topology.kubernetes.io/zone';

describe('a budget', () => {
  test.each([
    ['2', [{ kinds: ['erase', 'power-off', 'firmware'], limit: 2 }]],
    ['all: 2', [{ kinds: ['erase', 'power-off', 'firmware'], limit: 2 }]],
    ['1 per rack', [{ kinds: ['erase', 'power-off', 'firmware'], limit: 1, per: 'rack' }]],
    [
      `power-off, erase: 3 per ${ZONE}; firmware:1`,
      [
        { kinds: ['erase', 'power-off'], limit: 3, per: ZONE },
        { kinds: ['firmware'], limit: 1 },
      ],
    ],
  ])('is written as %s', (text, budgets) => {
    expect(readBudgets(text)).toEqual(budgets);
  });

  test.each([
    ['', '"" is no budget, such as 2, or erase: 1 per topology.kubernetes.io/zone'],
    ['two', '"two" is no budget'],
    ['1;', '"" is no budget'],
    ['-1', '"-1" is no budget'],
    ['1.5', '"1.5" is no budget'],
    ['1 per', '"1 per" is no budget'],
    ['1 per a b', '"1 per a b" is no budget'],
    ['0', '0 is not a number of hosts from 1 to 10000'],
    ['10001', '10001 is not a number of hosts'],
    ['wipe: 1', '"wipe" is none of erase, power-off, firmware, all'],
    [': 1', '"" is none of erase'],
    ['1 per Zone/', '"Zone/" is no key of a label'],
    ['1 per -rack', '"-rack" is no key of a label'],
    [
      Array.from({ length: 21 }, (_, index) => `1 per r${index}`).join(';'),
      'it has 21 budgets, 20 at most are allowed',
    ],
    ['erase: 1; erase: 2', 'it has two budgets for erase'],
    ['power-off,erase: 1 per rack; erase,power-off: 2 per rack', 'it has two budgets for erase,power-off per rack'],
  ])('is refused: %j', (text, problem) => {
    expect(readBudgets(text)).toContain(problem);
  });
});

describe('what a host needs', () => {
  const said = (budget: string, of = 'Namespace metal') => ({
    'temper/approval-inherited': JSON.stringify([{ of, budget }]),
  });
  const needs = (annotations: Record<string, string>, labels = {}) =>
    needsOf({ namespace: 'metal', annotations, labels }, ['erase']);

  test('is a place in each budget for its step, with those of the same object and label', () => {
    expect(needs(said(`erase: 1 per ${ZONE}; 5; power-off: 2`), { [ZONE]: 'a' })).toEqual([
      { budget: `erase in Namespace metal, ${ZONE}=a`, limit: 1 },
      { budget: 'all in Namespace metal', limit: 5 },
    ]);
    expect(needs(said('1 per rack'))).toEqual([{ budget: 'all in Namespace metal, without rack', limit: 1 }]);
  });

  test('is counted with the others of its namespace that say so, where a host or a machine says it', () => {
    expect(needs({ 'temper/approval-budget': '2' })).toEqual([
      { budget: 'all in hosts of Namespace metal that say so themselves', limit: 2 },
    ]);
    expect(needs(said('2', 'Metal3Machine metal/m-1'))).toEqual(needs(said('2', 'Metal3Machine metal/m-2')));
    const ofMachines = needs(said('2', 'Machine.machine.openshift.io metal/m-1'));
    expect(ofMachines).toEqual(needs(said('2', 'Machine.machine.openshift.io metal/m-2')));
    expect(ofMachines).not.toEqual(needs(said('2', 'Machine.cluster.k8s.io metal/m-1')));
    expect(ofMachines).toEqual([
      { budget: 'all in Machines.machine.openshift.io of Namespace metal that say so', limit: 2 },
    ]);
  });

  test('is never there in a budget that can not be read', () => {
    expect(needs(said('many'))).toEqual([]);
    expect(unreadableBudgets(said('many'))).toEqual(['many of Namespace metal']);
  });

  test('follows from the labels that budgets name, and from no others', () => {
    expect(countedLabels(said(`1 per ${ZONE}; 2 per rack`), { [ZONE]: 'a', other: 'b' })).toEqual({ [ZONE]: 'a' });
    expect(countedLabels({}, { [ZONE]: 'a' })).toBeUndefined();
  });
});
