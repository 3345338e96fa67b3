import { describe, expect, test } from 'vitest';
import { ANNOTATIONS, APPROVAL_ANNOTATIONS, STEERING_ANNOTATIONS } from '../../api/baremetalhost/values.ts';
import { parseHardwareDetails } from '../../k8s-bridge/bindings/baremetalhost/resource.ts';
import { parseStatus } from '../../kube/objects/carried-status.ts';
import { storedTexts } from '../../kube/objects/metal3remediation.ts';
import { takesLonger } from '../../test/builders/cpu-time.ts';
import { neededBy, needsOf, windowsOf } from '../host/approval/policy.ts';
import { detachmentAsked } from '../host/memory/detach-annotation.ts';
import { readReboot } from '../host/memory/reboot-annotations.ts';
import { resultsOf } from '../host/results/results.ts';
import { BACKUP_ANNOTATIONS } from '../remediation/names.ts';
import { askedBy, askedProblem } from '../steering/annotations.ts';
import { answerIn } from '../steering/answer.ts';
import { historyOf, historyProblem } from '../steering/history.ts';
import { BOUNDS } from './bounds.ts';
import { maybeJson } from './json.ts';

const { conversionData: kept } = BOUNDS;
const MOST = kept.characters - 100;

const listOf = (part: string, count = Math.floor(MOST / (part.length + 1))): string =>
  `[${Array.from({ length: count }, () => part).join(',')}]`;
const tableOf = (count: number): string => `{${Array.from({ length: count }, (_, at) => `"k${at}":"v"`).join(',')}}`;

/** The longest values that an annotation can have; of the first ones, as much as its bound allows is read. */
const VALUES: readonly string[] = [
  tableOf(9_900),
  listOf('{"of":"a"}', 6_000),
  listOf('{"at":"","what":"","by":"","reason":""}', 2_000),
  `{"nics":${listOf('{"name":1}', 6_000)}}`,
  `{"hardware":{"nics":${listOf('{"name":"a"}', 6_000)}}}`,
  `{"cpu":{"flags":${listOf('1', 19_000)}}}`,
  listOf('{}'),
  listOf('{"of":"a","window":"0 0 * * * 1h Europe/Berlin","budget":"1;2;3"}'),
  '['.repeat(MOST / 2) + ']'.repeat(MOST / 2),
  `{"by":"${String.raw`\"`.repeat(MOST / 2)}"}`,
  ' '.repeat(MOST),
  'x '.repeat(MOST / 2),
  '0,'.repeat(MOST / 2),
  ';'.repeat(MOST),
  `${'erase,'.repeat(MOST / 6 - 1)}erase`,
];

const labels = { namespace: 'metal', labels: {} };
const READERS: Readonly<Record<string, (value: string) => unknown>> = {
  history: (value) => historyOf({ [STEERING_ANNOTATIONS.history]: value }),
  historyProblem,
  askedBy: (value) => askedBy({ [ANNOTATIONS.paused]: value }, ANNOTATIONS.paused),
  askedProblem,
  answer: answerIn,
  approvals: (value) => neededBy({ [APPROVAL_ANNOTATIONS.needed]: value }, ['erase']),
  inherited: (value) => neededBy({ [APPROVAL_ANNOTATIONS.inherited]: value }, ['erase']),
  windows: (value) => windowsOf({ [APPROVAL_ANNOTATIONS.window]: value, [APPROVAL_ANNOTATIONS.inherited]: value }),
  budgets: (value) => needsOf({ ...labels, annotations: { [APPROVAL_ANNOTATIONS.budget]: value } }, ['erase']),
  detached: (value) => detachmentAsked({ annotations: { [ANNOTATIONS.detached]: value } }),
  reboot: readReboot,
  results: (value) => resultsOf({ 'temper/operations': value }),
  status: parseStatus,
  hardware: parseHardwareDetails,
  'stored labels': (value) => storedTexts({ metadata: { annotations: { [BACKUP_ANNOTATIONS.labels]: value } } }),
  'conversion data': (value) => maybeJson(value, kept),
};

describe('an annotation', () => {
  test.each(Object.entries(READERS))(
    'takes milliseconds of its thread at most, whatever a tenant writes: %s',
    (_, read) => {
      const slow = VALUES.filter((value) => takesLonger(() => read(value), 240));
      expect(slow.map((value) => value.slice(0, 40))).toEqual([]);
    },
  );
});
