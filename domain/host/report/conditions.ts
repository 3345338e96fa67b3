import type { Condition } from '../../../api/baremetalhost/types.ts';
import type { HostConditionType, ProvisioningState } from '../../../api/baremetalhost/values.ts';
import { byType, toSeconds } from '../../entity/conditions.ts';
import type { HostView } from './view.ts';

type Claim = Pick<Condition, 'status' | 'reason'>;

const yes = (reason: string): Claim => ({ status: 'True', reason });
const no = (reason: string): Claim => ({ status: 'False', reason });

const UNKNOWN: Claim = { status: 'Unknown', reason: 'Unknown' };

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
  previous: readonly Condition[],
  generation: number,
  now: number,
): readonly Condition[] {
  const known = new Map(previous.map((condition) => [condition.type, condition]));
  for (const [type, claim] of Object.entries({ ...claims(view), Healthy: healthy(view) })) {
    const before = known.get(type);
    // The last known health is kept while no new value is reported.
    if (claim === undefined && before !== undefined) continue;
    known.set(type, {
      type,
      ...(claim ?? UNKNOWN),
      message: '',
      lastTransitionTime:
        before !== undefined && before.status === claim?.status ? before.lastTransitionTime : toSeconds(now),
      observedGeneration: generation,
    });
  }
  return [...known.values()].toSorted(byType);
}

function claims(view: HostView): Record<Exclude<HostConditionType, 'Healthy'>, Claim> {
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
const healthy = ({ health }: HostView): Claim | undefined => (health === undefined ? undefined : HEALTH[health]);

export const HEALTH: Readonly<Record<string, Claim>> = {
  OK: yes('Healthy'),
  Warning: no('Warning'),
  Critical: no('CriticalError'),
};

function manageable({ status, powerFault }: HostView): Claim {
  const { state } = status.provisioning;
  if (state === '' || state === 'unmanaged') return no('NotManaged');
  if (state === 'registering') return no(status.operationalStatus === 'error' ? 'RegistrationFailed' : 'Registering');
  const powerCounts = status.operationalStatus !== 'detached' && !WITHOUT_POWER_CHECK.includes(state);
  return powerFault && powerCounts ? no('PowerFailure') : yes('Manageable');
}

/** What prevents Ready in any state. */
function obstacle({ status }: HostView): Claim | undefined {
  if (status.operationalStatus === 'error') return no('Error');
  if (status.operationalStatus === 'servicing') return no('Servicing');
  if (status.operationalStatus === 'detached') return no('Detached');
  return undefined;
}

function progressing({ status }: HostView): Claim {
  if (status.operationalStatus === 'detached') return no('Detached');
  const reason = PROGRESS[status.provisioning.state as ProvisioningState];
  return reason === undefined ? no('NotProgressing') : yes(reason);
}
