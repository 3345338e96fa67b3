import { ERROR_EVENT_REASONS } from '../../api/baremetalhost/values.ts';
import type { ShownEvent } from '../entity/view.ts';
import type { HostMeasurement } from './definitions.ts';

/** Prefix of the message about a missing BMC Secret, which distinguishes it from other errors. */
export const NO_CREDENTIALS_SECRET = "BMC CredentialsName secret doesn't exist";

const ERRORS: readonly string[] = Object.values(ERROR_EVENT_REASONS);

/** The measurement for an Event that is written for the first time. */
export function eventCounted(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { reason, message }: ShownEvent,
): readonly HostMeasurement[] {
  if (ERRORS.includes(reason)) return [{ name: 'metal3_host_error_total', labels: { error_type: reason } }];
  switch (reason) {
    case 'PowerOn':
    case 'PowerOff': {
      const on_off = reason === 'PowerOn' ? 'on' : 'off';
      return [{ name: 'metal3_operation_power_change_total', labels: { namespace, host: name, on_off } }];
    }
    case 'BMCCredentialError': {
      const isMissing = message.startsWith(NO_CREDENTIALS_SECRET);
      return [{ name: `metal3_credentials_${isMissing ? 'missing' : 'invalid'}_total`, labels: {} }];
    }
    default:
      return [];
  }
}
