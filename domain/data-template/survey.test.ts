import { describe, expect, test } from 'vitest';
import { someData } from '../../test/builders/data-template.ts';
import type { ClaimSeen } from './snapshot.ts';
import { survey } from './survey.ts';

const aClaim = (name: string, given: Partial<ClaimSeen> = {}): ClaimSeen => ({
  name,
  uid: `${name}-uid`,
  creationTimestamp: '2026-08-21T00:00:00Z',
  deleting: false,
  paused: false,
  hasFinalizer: false,
  hasMachine: true,
  ...given,
});
const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const named = (at: number): string => `c${String(at).padStart(5, '0')}`;
const namesOf = ({ claims }: ReturnType<typeof survey>): readonly string[] => claims.map(({ name }) => name);

describe('the open work of a template', () => {
  test('has the claims that are served first, and free indexes for them; the others come when these are done', () => {
    const claims = many(10_000, (at) => aClaim(named(at)));
    const seen = survey(claims, []);
    expect(namesOf(seen)).toEqual(many(125, named));
    expect(seen.free).toEqual(many(300, (at) => at));
    const done = claims.map((claim, at) => (at < 125 ? { ...claim, renderedData: `nodes-${at}` } : claim));
    const next = survey(
      done,
      many(125, (at) => someData(at, named(at))),
    );
    expect(namesOf(next)[0]).toBe(named(125));
    expect([next.free[0], next.data, next.counts]).toEqual([125, [], { claims: 10_000, data: 125, paused: 0 }]);
  });

  test('leaves out what can not be done now', () => {
    const message = 'metal3Machine not found in owner references';
    const seen = survey(
      [
        aClaim('settled', { renderedData: 'nodes-0' }),
        aClaim('paused', { paused: true }),
        aClaim('told', { hasMachine: false, errorMessage: message }),
        aClaim('untold', { hasMachine: false }),
        aClaim('dying'),
        aClaim('unheld', { deleting: true }),
      ],
      [someData(0, 'settled'), someData(1, 'dying', { deleting: true })],
    );
    expect(namesOf(seen)).toEqual(['untold']);
    expect(seen.counts).toEqual({ claims: 5, data: 2, paused: 1 });
  });

  test('has those last that the API server refuses, so that others need not wait for them', () => {
    const refused = many(200, (at) =>
      aClaim(`a${at}`, { errorMessage: 'Failed to create associated Metal3Data object' }),
    );
    expect(namesOf(survey([...refused, aClaim('z')], []))[0]).toBe('z');
  });

  test('has the Metal3Data of its claims, and those whose claim is gone', () => {
    const data = [someData(0, 'leaving'), someData(1, 'gone', { deleting: true }), someData(2, 'kept')];
    const seen = survey([aClaim('leaving', { deleting: true }), aClaim('kept', { renderedData: 'nodes-2' })], data);
    expect(seen.data).toEqual(data.slice(0, 2));
  });
});
