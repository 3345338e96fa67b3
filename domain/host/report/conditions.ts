import type { StoredCondition } from '../../../api/baremetalhost/types.ts';
import type { HostConditionType, ProvisioningState } from '../../../api/baremetalhost/values.ts';
import { byType, toSeconds } from '../../entity/conditions.ts';
import type { HostView } from './view.ts';

type Verdict = Pick<StoredCondition, 'status' | 'reason'>;

const yes = (reason: string): Verdict => ({ status: 'True', reason });
const no = (reason: string): Verdict => ({ status: 'False', reason });

const UNKNOWN: Verdict = { status: 'Unknown', reason: 'Unknown' };

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

/** The conditions of a host; `lastTransitionTime` moves only with a status. Conditions of other writers are kept. */
export function hostConditions(
  view: HostView,
  previous: readonly StoredCondition[],
  generation: number,
  now: number,
): readonly StoredCondition[] {
  const known = new Map(previous.map((condition) => [condition.type, condition]));
  for (const [type, verdict] of Object.entries({ ...verdicts(view), Healthy: healthy(view) })) {
    const before = known.get(type);
    // The last known health is kept while no new value is reported.
    if (verdict === undefined && before !== undefined) continue;
    known.set(type, {
      type,
      ...(verdict ?? UNKNOWN),
      message: '',
      lastTransitionTime:
        before !== undefined && before.status === verdict?.status ? before.lastTransitionTime : toSeconds(now),
      observedGeneration: generation,
    });
  }
  return [...known.values()].toSorted(byType);
}

function verdicts(view: HostView): Record<Exclude<HostConditionType, 'Healthy'>, Verdict> {
  const { state } = view.status.provisioning;
  const isProvisioned = state === 'provisioned' || state === 'externally provisioned';
  const provisioned = isProvisioned ? yes('Provisioned') : no('NotProvisioned');
  return {
    Manageable: manageable(view),
    AvailableForProvisioning: state === 'available' || state === 'ready' ? yes('Available') : no('NotAvailable'),
    Provisioned: provisioned,
    Ready: obstacle(view) ?? provisioned,
    Progressing: progressing(view),
  };
}

/** undefined when no health is reported. */
const healthy = ({ health }: HostView): Verdict | undefined => (health === undefined ? undefined : HEALTH[health]);

export const HEALTH: Readonly<Record<string, Verdict>> = {
  OK: yes('Healthy'),
  Warning: no('Warning'),
  Critical: no('CriticalError'),
};

function manageable({ status, powerFault }: HostView): Verdict {
  const { state } = status.provisioning;
  if (state === '' || state === 'unmanaged') return no('NotManaged');
  if (state === 'registering') return no(status.operationalStatus === 'error' ? 'RegistrationFailed' : 'Registering');
  const powerCounts = status.operationalStatus !== 'detached' && !WITHOUT_POWER_CHECK.includes(state);
  return powerFault && powerCounts ? no('PowerFailure') : yes('Manageable');
}

/** What prevents Ready in any state. */
function obstacle({ status }: HostView): Verdict | undefined {
  if (status.operationalStatus === 'error') return no('Error');
  if (status.operationalStatus === 'servicing') return no('Servicing');
  if (status.operationalStatus === 'detached') return no('Detached');
  return undefined;
}

function progressing({ status }: HostView): Verdict {
  if (status.operationalStatus === 'detached') return no('Detached');
  const reason = PROGRESS[status.provisioning.state as ProvisioningState];
  return reason === undefined ? no('NotProgressing') : yes(reason);
}
