import { APPROVAL_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import type { Sight } from '../../../domain/diagnosis/sight.ts';
import { SPEC_IGNORED, STEP_HELD } from '../../../domain/entity/conditions.ts';
import { staleInWords } from '../../../domain/entity/stale.ts';
import { inheritedValue } from '../../../domain/host/approval/policy.ts';
import type { WaitReason } from '../../../domain/host/waits.ts';
import { inWords } from '../../../domain/other-operators/beside.ts';
import { OPERATORS } from '../../../domain/other-operators/operators.ts';
import { STUCK } from '../../../domain/usual-times/stuck.ts';
import { aCondition, type Examples, hostError, hostSight, NOW } from './sights.ts';

const answered = (words: string): Sight =>
  hostSight({ state: 'provisioning', texts: [{ field: 'last answer to a request that is repeated', words }] });

/** A host that is held back by windows or budgets of other objects. */
const heldWith = (reason: WaitReason, of: readonly string[], message: string): Sight => {
  const said = of.map((each) => ({ of: each, window: '0 22 * * 6 4h', budget: '1' }));
  return hostSight({
    annotations: { [APPROVAL_ANNOTATIONS.inherited]: inheritedValue(said) ?? '' },
    conditions: [aCondition(STEP_HELD, 'True', reason, message)],
  });
};

export const TEMPER_EXAMPLES = {
  'bridge-gone': [hostSight({ state: '', operationalStatus: '', poweredOn: false })],
  'workflow-failing': [
    hostSight({ conditions: [aCondition('WorkflowFailing', 'True', 'TaskFailing', 'TypeError: x is undefined')] }),
  ],
  'write-refused': [
    hostSight({ conditions: [aCondition('WriteRefused', 'True', 'Forbidden', 'denied by policy no-finalizers')] }),
  ],
  'mark-refused': [
    answered(
      "deploy: BareMetalHost node-1: nothing is sent to Ironic, because the annotation temper/request can't be written: denied by policy no-annotations",
    ),
  ],
  'other-operator': [
    hostSight({
      texts: [{ field: 'what its run waits for', words: inWords({ operator: OPERATORS[0], namespace: 'metal' }) }],
    }),
  ],
  'not-asked-for': [
    hostSight({
      state: 'preparing',
      texts: [
        {
          field: 'what its run waits for',
          words: staleInWords({ message: 'prepare: BareMetalHost node-1: it is provisioned', times: 2, until: NOW }),
        },
      ],
    }),
  ],
  'step-held': [
    hostSight({
      conditions: [aCondition(STEP_HELD, 'True', 'ApprovalNeeded', 'waiting for approval to power it off')],
    }),
  ],
  'window-closed': [
    heldWith(
      'WindowClosed',
      ['Namespace metal'],
      'waiting for the window 0 22 * * 6 4h of Namespace metal, which opens at 2026-01-03T22:00:00.000Z, to power it off',
    ),
    heldWith(
      'WindowClosed',
      ['Cluster metal/prod', 'Metal3Machine metal/worker-1-infra'],
      'waiting for the window 0 22 * * 6 4h of Cluster metal/prod, 0 1 * * 0 2h of Metal3Machine metal/worker-1-infra, which is not open before 2034-01-01T01:00:00.000Z: then a later time is looked for, to power it off',
    ),
  ],
  'window-never-open': [
    heldWith(
      'WindowNeverOpen',
      ['Namespace metal'],
      'waiting for the window 0 22 30 2 * 4h of Namespace metal, which is never open, to power it off',
    ),
    heldWith(
      'WindowNeverOpen',
      ['Cluster metal/prod', 'Metal3Machine metal/worker-1-infra'],
      'waiting for the window 0 22 * * 6 4h of Cluster metal/prod, 0 1 * * * 2h of Metal3Machine metal/worker-1-infra, which is never open, to power it off',
    ),
  ],
  'budget-exhausted': [
    heldWith(
      'BudgetExhausted',
      ['Namespace metal'],
      'waiting for its turn in the budget erase in Namespace metal: at most 1 at a time, now metal/node-2',
    ),
    heldWith(
      'BudgetExhausted',
      ['Cluster metal/prod', 'Namespace metal'],
      'waiting for its turn in the budget erase in Cluster metal/prod, zone=a: at most 1 at a time, now metal/node-2',
    ),
  ],
  'budget-unreadable': [
    heldWith(
      'BudgetUnreadable',
      ['Namespace metal'],
      "waiting for a budget that can't be read, many of Namespace metal, to power it off",
    ),
  ],
  'fixture-fails': [hostError('inspection error', "the annotation temper/fixture-fail makes 'inspect' fail")],
  'registration-failed': [hostError('registration error', 'something else')],
  'inspection-failed': [hostError('inspection error', 'something else')],
  'preparation-failed': [hostError('preparation error', 'something else')],
  'provisioning-failed': [hostError('provisioning error', 'something else')],
  'power-failed': [hostError('power management error', 'something else')],
  'adoption-failed': [hostError('provisioned registration error', 'something else')],
  'longer-than-usual': [
    hostSight({ state: 'inspecting', poweredOn: false, since: NOW - 3 * 3_600_000 }),
    hostSight({ state: 'preparing', conditions: [aCondition(STUCK, 'True', 'Preparing', 'usually 9m0s at most')] }),
  ],
  'spec-ignored': [
    hostSight({
      conditions: [
        aCondition(
          SPEC_IGNORED,
          'True',
          'LiveISO',
          'spec.userData has no effect: the image is a live ISO, which gets no config drive and is written to no disk',
        ),
      ],
    }),
  ],
} satisfies Examples;
