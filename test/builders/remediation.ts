import type { Shown } from '../../domain/entity/view.ts';
import { remediationEntity } from '../../domain/remediation/entity.ts';
import type { RemediationMemory } from '../../domain/remediation/memory.ts';
import { powerOffKey } from '../../domain/remediation/names.ts';
import type { SickHost } from '../../domain/remediation/sick-host.ts';
import type { RemediationSnapshot, SickMachine } from '../../domain/remediation/snapshot.ts';
import type {
  RemediationAction,
  RemediationAnswer,
  RemediationHostOrder,
  RemediationStep,
} from '../../domain/remediation/step.ts';

/** The beginning of the first attempt. */
export const BEGUN = '2026-01-01T00:00:00Z';
export const AT = Date.parse(BEGUN);
export const UID = 'remediation-uid';
export const OUR_KEY = powerOffKey(UID);

/** The order of an activity about the host of a remediation. */
export const SICK_HOST_ORDER: RemediationHostOrder = {
  remediation: { namespace: 'metal', name: 'one', uid: 'r-uid' },
  retryCount: 0,
  lastRemediated: BEGUN,
  host: { namespace: 'metal', name: 'host-1', uid: 'h-uid' },
  machine: { namespace: 'metal', name: 'machine-1', uid: 'm-uid' },
  metal3Machine: 'm3m-1',
};

export const aSickHost = (change: Partial<SickHost> = {}): SickHost => ({
  namespace: 'metal',
  name: 'host-1',
  uid: 'host-uid',
  resourceVersion: '50',
  state: 'provisioned',
  online: true,
  poweredOn: true,
  errorMessage: '',
  disablePowerOff: false,
  deleting: false,
  untouched: false,
  unhealthy: false,
  belongs: true,
  heldBy: [],
  ...change,
});

export const aSickMachine = (change: Partial<SickMachine> = {}): SickMachine => ({
  namespace: 'metal',
  name: 'worker-1',
  uid: 'machine-uid',
  deleting: false,
  healthy: false,
  metal3Machine: 'm3m-1',
  cluster: 'test1',
  node: 'node-1',
  nodeNews: 'lost',
  ...change,
});

export const aRemediation = (change: Partial<RemediationSnapshot> = {}): RemediationSnapshot => ({
  namespace: 'metal',
  name: 'worker-1',
  uid: UID,
  resourceVersion: '7',
  generation: 1,
  creationTimestamp: BEGUN,
  paused: false,
  strategy: { type: 'Reboot', retryLimit: 1, timeoutSeconds: 100 },
  hasBackup: false,
  machine: aSickMachine(),
  host: aSickHost(),
  rivals: [],
  ...change,
});

const { begin, nextStep, record, show } = remediationEntity;

/** The next step when the object shows everything in the memory. */
export const stepOf = (memory: RemediationMemory, now = AT, shown: Shown | null = show(memory)): RemediationStep =>
  nextStep(memory, { now, shown });

/** A remediation in this phase, as a run that knows the object alone begins. */
export const inPhase = (
  phase: 'Running' | 'Waiting' | 'Deleting machine' | 'Failed',
  change: Partial<RemediationSnapshot> = {},
  retryCount = 0,
): RemediationMemory =>
  begin(aRemediation({ ...change, status: { phase, lastRemediated: BEGUN, ...(retryCount > 0 && { retryCount }) } }));

export const answered = (
  memory: RemediationMemory,
  answer: RemediationAnswer,
  now = AT,
  action: RemediationAction = actionOf(stepOf(memory, now)),
): RemediationMemory => record(memory, action, { kind: 'done', answer }, { now, dice: 0, before: memory });

export const failed = (memory: RemediationMemory, message: string, now = AT): RemediationMemory =>
  record(memory, actionOf(stepOf(memory, now)), { kind: 'failed', message }, { now, dice: 0, before: memory });

export function actionOf(step: RemediationStep): RemediationAction {
  if (step.kind !== 'act') throw new Error(`no action: ${JSON.stringify(step)}`);
  return step.action;
}

/** A step in a few words. */
export function wordsOf(step: RemediationStep): string {
  switch (step.kind) {
    case 'act':
      return step.action.name === 'power on' ? `power on: ${step.action.keys.join(', ')}` : step.action.name;
    case 'become':
    case 'note':
      return `become ${step.memory.record.phase} ${step.memory.record.retryCount}`;
    case 'wait':
      return `wait: ${step.reason}${step.until === undefined ? '' : ` (until ${(step.until - AT) / 1_000} s)`}`;
    case 'show':
    case 'gone':
      return step.kind;
  }
}

/** The next step in a few words, so many seconds after the first attempt has begun. */
export const said = (memory: RemediationMemory, seconds = 0): string => wordsOf(stepOf(memory, AT + seconds * 1_000));
