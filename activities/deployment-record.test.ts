import { expect, test } from 'vitest';
import { readData, readRecord } from './deployment-record.ts';

const data = { userData: { name: 'cloud-init', namespace: 'metal' } };

test.each([
  ['whole', { image: 'a', customDeployMethod: '', data }, true],
  ['of a known attempt', { image: 'a', customDeployMethod: '', data, attempt: 'uid-1' }, true],
  ['without data', { image: 'a', customDeployMethod: '' }, true],
  ['absent', undefined, false],
  ['of another shape', { image: 5 }, false],
])('a record that is %s is read: %s', (_, found, isRead) => {
  expect(readRecord(found)).toEqual(isRead ? found : undefined);
});

test.each([
  [JSON.stringify(data), data],
  ['{}', {}],
  ['', undefined],
  ['written by hand', undefined],
  ['{"userData":5}', undefined],
])('data as text %j is read as %j', (text, expected) => {
  expect(readData(text)).toEqual(expected);
});
