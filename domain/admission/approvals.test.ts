import { expect, test } from 'vitest';
import { codeOf } from '../steering/code.ts';
import { approvalProblems } from './approvals.ts';

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
