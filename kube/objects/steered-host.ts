import { isInspectionDisabled } from '../../domain/host/desired/inspection-disabled.ts';
import { machineNamed, type SteeredHost } from '../../domain/host/steering/refusal.ts';
import { readHost } from './baremetalhost.ts';

/** The facts of a BareMetalHost by which messages of people are accepted or refused. */
export function readSteeredHost(object: unknown): SteeredHost {
  const { metadata, spec, status, errorType } = readHost(object);
  const { namespace, annotations, deletionTimestamp, name } = metadata;
  return {
    name,
    annotations,
    deletionTimestamp,
    online: spec.online,
    disablePowerOff: spec.disablePowerOff,
    inspectionDisabled: isInspectionDisabled(spec.inspectionMode, annotations),
    state: status.state,
    hasError: errorType !== '',
    machine: machineNamed(namespace, spec),
  };
}
