import { describe, expect, test } from 'vitest';
import { type DeploymentRecord, isRecorded, recordOf } from './record.ts';

const image = { url: 'http://images/a.raw' };
const data = { userData: { name: 'm1' } };
const other = { userData: { name: 'm2' } };
const attempt = 'uid-1 2026-01-01T00:00:00Z metal/m1';
const recorded = recordOf({ image, attempt }, data);

describe('a deployment on record', () => {
  test.each<[string, boolean, DeploymentRecord, DeploymentRecord]>([
    ['the same data', true, recorded, recorded],
    ['the same data in another attempt', true, recorded, recordOf({ image, attempt: 'other' }, data)],
    ['other data in the same attempt', true, recorded, recordOf({ image, attempt }, other)],
    ['other data in another attempt', false, recorded, recordOf({ image, attempt: 'other' }, other)],
    ['other data in an attempt that nobody knows', false, recordOf({ image }, data), recordOf({ image }, other)],
    ['data where nobody knows it', true, recordOf({ image }), recordOf({ image, attempt }, other)],
    [
      'another image in the same attempt',
      false,
      recorded,
      recordOf({ image: { url: 'http://images/b.raw' }, attempt }, data),
    ],
    [
      'another deploy step in the same attempt',
      false,
      recorded,
      recordOf({ image, customDeployMethod: 'own', attempt }, data),
    ],
  ])('is asked for with %s: %s', (_, expected, known, wanted) => {
    expect(isRecorded(known, wanted, false)).toBe(expected);
  });
});
