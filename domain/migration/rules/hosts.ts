import { PROVISIONING_STATES } from '../../../api/baremetalhost/values.ts';
import { parseBmcAddress } from '../../bmc/address.ts';
import { isBusyState } from '../../states/table.ts';
import type { Remark } from '../finding.ts';
import type { HostSeen, MigrationSurvey, ObjectSeen } from '../survey.ts';

/** Hosts that Temper would not take over, or had better take over later. */
export const hostFindings = ({ kinds }: MigrationSurvey): readonly Remark[] =>
  kinds.flatMap(({ kind, objects }) =>
    objects.flatMap((object) =>
      object.host === undefined ? [] : findingsOf(object, object.host, `${kind} ${object.namespace}/${object.name}`),
    ),
  );

function findingsOf({ isDeleting }: ObjectSeen, host: HostSeen, on: string): readonly Remark[] {
  const { state, operationalStatus, bmcAddress, problems } = host;
  const findings: Remark[] = [];
  if (problems.length > 0)
    findings.push({
      rule: 'host-unreadable',
      hinders: true,
      on,
      what: `can't be read: ${problems.join('; ')}`,
      next: 'Correct these fields.',
    });
  if (!PROVISIONING_STATES.some((known) => known === state))
    findings.push({
      rule: 'host-state',
      hinders: true,
      on,
      what: `is in a state that Temper does not know: ${state}`,
      next: 'Let its operator bring it into another state.',
    });
  if (operationalStatus === 'servicing')
    findings.push({
      rule: 'host-state',
      hinders: true,
      on,
      what: 'is being serviced: its operator changes its firmware while its image runs',
      next: 'Wait until it is OK. Temper does not service hosts.',
    });
  const address = bmcAddress === '' ? undefined : parseBmcAddress(bmcAddress, { fakeHardware: true });
  if (address?.kind === 'invalid')
    findings.push({
      rule: 'host-bmc',
      hinders: true,
      on,
      what: address.problem,
      next: 'Give it an address with a scheme that Temper knows.',
    });
  if (isDeleting || isBusyState(state))
    findings.push({
      rule: 'host-busy',
      hinders: false,
      on,
      what: isDeleting ? 'is being deleted' : `is ${state}`,
      next: 'Wait if you can: Temper goes on with what is under way, but a host at rest is easier to compare.',
    });
  return findings;
}
