import { describe, expect, test } from 'vitest';
import { createReadiness } from './role.ts';

const WITHOUT_TEMPORAL = ['Temporal does not answer'];

describe('a bridge', () => {
  test('that has not seen the Lease yet is not ready', () => {
    const missing = ['the API server has not shown the Lease yet'];
    expect(createReadiness().judge([])).toEqual({ missing, warnings: [] });
  });

  test('that waits for the Lease is ready, whatever a leader would lack', () => {
    const readiness = createReadiness();
    readiness.become('standby');
    expect(readiness.judge(WITHOUT_TEMPORAL)).toEqual({ missing: [], warnings: [] });
  });

  test('that leads is ready once it has worked, and stays ready with a warning', () => {
    const readiness = createReadiness();
    readiness.become('standby');
    readiness.become('leader');
    expect(readiness.judge(WITHOUT_TEMPORAL)).toEqual({ missing: WITHOUT_TEMPORAL, warnings: [] });
    expect(readiness.judge([])).toEqual({ missing: [], warnings: [] });
    expect(readiness.judge(WITHOUT_TEMPORAL)).toEqual({ missing: [], warnings: WITHOUT_TEMPORAL });
  });
});
