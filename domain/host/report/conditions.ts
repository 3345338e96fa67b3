import type { HostConditionType } from '../../../api/baremetalhost/values.ts';
import { byType, RECONCILING, SPEC_IGNORED, STALLED, STEP_HELD, writeRefused } from '../../entity/conditions.ts';
import type { Condition } from '../../entity/view.ts';
import { NODE_OCCUPIED, saysOccupied } from '../../ironic/occupied.ts';
import { hasNode, isFree, isInUse, traitsOf } from '../../states/table.ts';
import { heldNow } from '../approval/gate.ts';
import { unusedInWords } from '../desired/unused-fields.ts';
import type { HostMemory } from '../memory/memory.ts';
import { NODE_NOT_IN_USE, nodeNotInUse } from '../outcome/node-not-in-use.ts';
import { type Due, dueOf } from './due.ts';
import { situationOf, unpaused } from './situation.ts';

type Verdict = Omit<Condition, 'type'>;

const yes = (reason: string, message = ''): Verdict => ({ status: 'True', reason, message });
const no = (reason: string, message = ''): Verdict => ({ status: 'False', reason, message });

/** A condition keeps its status while nothing new is known about the hardware. */
const UNKNOWN: Verdict = {
  status: 'Unknown',
  reason: 'Unknown',
  message: 'the BMC has not reported the health of the hardware',
  unlessKnown: true,
};

/** What the conditions of a host should say. */
export function hostConditions(memory: HostMemory): readonly Condition[] {
  const situation = situationOf(memory);
  const due = dueOf(unpaused(memory));
  return [
    ...Object.entries(verdicts(memory, situation, due)).map(([type, said]) => ({ type, ...said })),
    { type: 'Healthy', ...healthy(memory) },
    ...writeRefused(refusalOf(memory)),
    ...stepHeld(memory),
    ...progressConditions(due, situation),
    ...specIgnored(memory),
  ].toSorted(byType);
}

/** Both are conditions of kstatus, which takes their absence for False. */
function progressConditions(due: Due | undefined, situation: string): readonly Condition[] {
  if (due === undefined) return [];
  const { kind, reason } = due;
  return kind === 'stalled'
    ? [{ type: STALLED, status: 'True', reason, message: situation }]
    : [{ type: RECONCILING, status: 'True', reason, message: situation === '' ? `next: ${due.next}` : situation }];
}

/** The messages of policies that forbid to write annotations of the host, or to mark its Secret. */
function refusalOf({ seen, registration }: HostMemory): string | undefined {
  const told = [seen.copyRefused, registration?.refusal].filter((message) => message !== undefined);
  return told.length === 0 ? undefined : told.join('; ');
}

/** The condition that exists while a step waits for an approval, a window or a budget. */
function stepHeld(memory: HostMemory): readonly Condition[] {
  const held = heldNow(memory);
  return held === undefined ? [] : [{ type: STEP_HELD, status: 'True', reason: held.reason, message: held.words }];
}

/** The condition that exists while fields of the spec have no effect. */
function specIgnored({ seen }: HostMemory): readonly Condition[] {
  const message = unusedInWords(seen.spec);
  return message === undefined ? [] : [{ type: SPEC_IGNORED, status: 'True', reason: 'LiveISO', message }];
}

function verdicts(
  memory: HostMemory,
  situation: string,
  due: Due | undefined,
): Record<Exclude<HostConditionType, 'Healthy'>, Verdict> {
  const { state } = memory.status.provisioning;
  const isProvisioned = isInUse(state);
  const isOther = `the host is ${state === '' ? 'new' : state}`;
  return {
    Manageable: manageable(memory, situation),
    AvailableForProvisioning: isFree(state) ? available(memory, situation) : no('NotAvailable', isOther),
    Provisioned: isProvisioned ? yes('Provisioned') : no('NotProvisioned', isOther),
    Ready: {
      ...(obstacle(memory) ?? (isProvisioned ? yes('Provisioned') : no('NotProvisioned'))),
      message: situation,
      ...(due?.kind === 'reconciling' && { keepsGeneration: true }),
    },
    Progressing: { ...progressing(memory), message: situation },
  };
}

const available = ({ status }: HostMemory, situation: string): Verdict =>
  saysOccupied(status.errorMessage) ? no(NODE_OCCUPIED, status.errorMessage) : yes('Available', situation);

const healthy = ({ node }: HostMemory): Verdict => HEALTH[node?.health ?? ''] ?? UNKNOWN;

export const HEALTH: Readonly<Record<string, Verdict>> = {
  OK: yes('Healthy'),
  Warning: no('Warning', 'the BMC reports the health Warning'),
  Critical: no('CriticalError', 'the BMC reports the health Critical'),
};

function manageable(memory: HostMemory, situation: string): Verdict {
  const { status, node } = memory;
  const { state } = status.provisioning;
  const { work, node: known } = traitsOf(state);
  if (work === 'register')
    return no(status.operationalStatus === 'error' ? 'RegistrationFailed' : 'Registering', situation);
  if (!known.isRegistered) return no('NotManaged', situation);
  const notInUse = nodeNotInUse(memory);
  if (notInUse !== undefined) return no(NODE_NOT_IN_USE, notInUse);
  const powerCounts = status.operationalStatus !== 'detached' && hasNode(state);
  return node?.fault === 'power failure' && powerCounts ? no('PowerFailure', POWER_FAILURE) : yes('Manageable');
}

const POWER_FAILURE = 'Ironic cannot read the power of the server from its BMC (its fault: power failure)';

/** A reason in any state why the host is not ready. */
function obstacle({ status }: HostMemory): Verdict | undefined {
  if (status.operationalStatus === 'error') return no('Error');
  if (status.operationalStatus === 'servicing') return no('Servicing');
  if (status.operationalStatus === 'detached') return no('Detached');
  return undefined;
}

function progressing({ status }: HostMemory): Verdict {
  if (status.operationalStatus === 'detached') return no('Detached');
  const { busy } = traitsOf(status.provisioning.state);
  return busy === null ? no('NotProgressing') : yes(busy.reason);
}
