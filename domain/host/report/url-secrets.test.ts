import { describe, expect, test } from 'vitest';
import { admittedHost, refusal } from '../../../test/builders/admission.ts';
import { aHost, CHANCE, NOW } from '../../../test/builders/host.ts';
import { dataImageRules } from '../../admission/dataimage.ts';
import { problemText } from '../../admission/field-problem.ts';
import { machineImageProblems } from '../../admission/metal3machine.ts';
import { nextStep } from '../next-step.ts';
import { record, startOf } from '../record.ts';
import { summaryOf } from './words.ts';

const IMAGE = { url: 'https://me:canary@images/a?sig=canary', checksum: 'abc' };

describe('the URL of an image with secrets', () => {
  test('is in Events and in the summary without them', () => {
    const memory = aHost({ state: 'provisioning', seen: { spec: { online: true, image: IMAGE } } });
    const step = nextStep(memory, NOW);
    if (step.kind !== 'run') throw new Error(`the step is ${step.kind}`);
    const started = startOf(memory, step.operation);
    const { events } = record(started, step.operation, { kind: 'done' }, CHANCE);
    expect(events.map(({ message }) => message)).toEqual([
      'Image provisioning started for https://images/a',
      'Image provisioning completed for https://images/a',
    ]);
    expect(summaryOf(step.operation)).toBe('Provision https://images/a');
  });

  test('is refused without them', () => {
    const image = { ...IMAGE, url: 'unix://me:canary@images/a?canary' };
    expect(refusal(admittedHost({ spec: { image } }))).toContain('image URL unix://images/a is invalid');
    const problems = dataImageRules.created({ spec: { url: 'unix://me:canary@images/a?canary' } });
    expect(problems).toEqual([expect.stringContaining('URL "unix://images/a" is invalid')]);
    const broken = 'http://me:canary@[images/a?canary';
    const ofMachine = machineImageProblems({ url: broken, checksum: broken }, 'Spec.Image').map(problemText);
    expect(ofMachine).toEqual([
      'Spec.Image.URL: Invalid value: "http://[images/a": not a valid URL',
      'Spec.Image.Checksum: Invalid value: "http://[images/a": not a valid URL',
    ]);
  });
});
