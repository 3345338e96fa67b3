import type { HostConditionType, ProvisioningState } from '../../../api/baremetalhost/values.ts';
import { byType, writeRefused } from '../../entity/conditions.ts';
import type { Condition } from '../../entity/view.ts';
import type { HostMemory } from '../memory/memory.ts';

type Verdict = Pick<Condition, 'status' | 'reason' | 'unlessKnown'>;

const yes = (reason: string): Verdict => ({ status: 'True', reason });
const no = (reason: string): Verdict => ({ status: 'False', reason });

/** A condition keeps its status while nothing new is known about the hardware. */
const UNKNOWN: Verdict = { status: 'Unknown', reason: 'Unknown', unlessKnown: true };

const PROGRESS: Partial<Record<ProvisioningState, string>> = {
  registering: 'Registering',
  inspecting: 'Inspecting',
  'match profile': 'Preparing',
  preparing: 'Preparing',
  provisioning: 'Provisioning',
  deprovisioning: 'Deprovisioning',
  'powering off before delete': 'PoweringOffBeforeDelete',
  deleting: 'Deleting',
};

/** States in which the node's power does not show whether the host can be managed. */
const WITHOUT_POWER_CHECK: readonly string[] = ['', 'unmanaged', 'registering', 'deleting'];

/** What the conditions of a host should say. */
export const hostConditions = (memory: HostMemory): readonly Condition[] =>
  [
    ...Object.entries(verdicts(memory)).map(([type, said]) => ({ type, ...said, message: '' })),
    { type: 'Healthy', ...healthy(memory), message: '' },
    ...writeRefused(memory.registration?.refusal),
  ].toSorted(byType);

function verdicts(memory: HostMemory): Record<Exclude<HostConditionType, 'Healthy'>, Verdict> {
  const { state } = memory.status.provisioning;
  const isProvisioned = state === 'provisioned' || state === 'externally provisioned';
  const provisioned = isProvisioned ? yes('Provisioned') : no('NotProvisioned');
  return {
    Manageable: manageable(memory),
    AvailableForProvisioning: state === 'available' || state === 'ready' ? yes('Available') : no('NotAvailable'),
    Provisioned: provisioned,
    Ready: obstacle(memory) ?? provisioned,
    Progressing: progressing(memory),
  };
}

const healthy = ({ node }: HostMemory): Verdict => HEALTH[node?.health ?? ''] ?? UNKNOWN;

export const HEALTH: Readonly<Record<string, Verdict>> = {
  OK: yes('Healthy'),
  Warning: no('Warning'),
  Critical: no('CriticalError'),
};

function manageable({ status, node }: HostMemory): Verdict {
  const { state } = status.provisioning;
  if (state === '' || state === 'unmanaged') return no('NotManaged');
  if (state === 'registering') return no(status.operationalStatus === 'error' ? 'RegistrationFailed' : 'Registering');
  const powerCounts = status.operationalStatus !== 'detached' && !WITHOUT_POWER_CHECK.includes(state);
  return node?.fault === 'power failure' && powerCounts ? no('PowerFailure') : yes('Manageable');
}

/** What keeps a host from being ready whatever its state. */
function obstacle({ status }: HostMemory): Verdict | undefined {
  if (status.operationalStatus === 'error') return no('Error');
  if (status.operationalStatus === 'servicing') return no('Servicing');
  if (status.operationalStatus === 'detached') return no('Detached');
  return undefined;
}

function progressing({ status }: HostMemory): Verdict {
  if (status.operationalStatus === 'detached') return no('Detached');
  const reason = PROGRESS[status.provisioning.state as ProvisioningState];
  return reason === undefined ? no('NotProgressing') : yes(reason);
}
