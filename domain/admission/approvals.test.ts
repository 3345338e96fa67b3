import { expect, test } from 'vitest';
import { codeOf } from '../steering/code.ts';
import { approvalProblems, approvalWarnings } from './approvals.ts';

const code = codeOf('uid-1', 'provision', {});

test('annotations about approvals are accepted as they are described', () => {
  expect(
    approvalProblems({
      'temper/approval': 'erase,power-off',
      'temper/approval-window': '0 22 * * 6 4h Europe/Berlin',
      'temper/approval-budget': 'erase,power-off: 1 per topology.kubernetes.io/zone; 10',
      'temper/approval-inherited': '[]',
      'temper/approval-given': `${code} the rack is empty`,
      'temper/approval-rejected': code,
      'temper/quarantine': 'erase',
    }),
  ).toEqual([]);
});

test.each([
  ['temper/approval', 'wipe', '"wipe" is none of erase, power-off, firmware, all'],
  ['temper/approval', '', '"" is none of erase, power-off, firmware, all'],
  ['temper/approval-window', 'saturday', 'it is not five cron fields, a duration'],
  ['temper/approval-budget', 'two', '"two" is no budget, such as 2, or erase: 1 per topology.kubernetes.io/zone'],
  ['temper/approval-given', 'yes', 'it is not the code of a step'],
  ['temper/approval-rejected', '{}', 'it is not the code of a step'],
  ['temper/approvals', 'all', 'there is no such annotation, only temper/approval, '],
])('%s=%j is refused', (key, value, problem) => {
  const [said = '', ...more] = approvalProblems({ [key]: value });
  expect(more).toEqual([]);
  expect(said).toMatch(`invalid value for the ${key} annotation: ${problem}`);
});

test.each(['firmware', 'erase, firmware'])(
  'temper/approval=%s is accepted with a warning that firmware holds nothing',
  (value) => {
    expect(approvalProblems({ 'temper/approval': value })).toEqual([]);
    expect(approvalWarnings({ 'temper/approval': value })).toEqual([
      'the kind firmware of the temper/approval annotation holds no step yet, because Temper changes no firmware',
    ]);
  },
);

test.each(['all', 'erase', 'wipe', 'firmware wipe'])('temper/approval=%s has no warning', (value) => {
  expect(approvalWarnings({ 'temper/approval': value })).toEqual([]);
});
