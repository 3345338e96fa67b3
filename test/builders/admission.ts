import { hardwareDetails } from '../../api/baremetalhost/hardware.ts';
import { bareMetalHostStatus } from '../../api/baremetalhost/status.ts';
import type { BareMetalHost, BareMetalHostSpec } from '../../api/baremetalhost/types.ts';
import { structural } from '../../api/structural.ts';
import { hostRules } from '../../domain/admission/baremetalhost.ts';
import { refusalMessage } from '../../domain/admission/refusal.ts';
import { isJudged, problemsOf } from '../../domain/admission/rules.ts';

export const schemas = { status: structural(bareMetalHostStatus), hardwareDetails: structural(hardwareDetails) };
export const rules = hostRules({ schemas, fakeHardware: false });

export interface Change {
  readonly name?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: Partial<BareMetalHostSpec>;
  readonly state?: string;
  readonly detached?: boolean;
  readonly deleting?: boolean;
}

/** A host as admission sees it. */
export const admittedHost = ({
  name = 'node-1',
  annotations,
  spec,
  state = '',
  detached,
  deleting,
}: Change = {}): BareMetalHost => ({
  apiVersion: 'metal3.io/v1alpha1',
  kind: 'BareMetalHost',
  metadata: {
    name,
    namespace: 'metal',
    annotations,
    ...(deleting === true && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
  },
  spec: {
    online: true,
    automatedCleaningMode: 'metadata',
    bmc: { address: 'redfish://10.0.0.1/redfish/v1/Systems/1', credentialsName: 'secret' },
    ...spec,
  },
  status: {
    operationalStatus: detached === true ? 'detached' : 'OK',
    errorMessage: '',
    errorCount: 0,
    provisioningFailCount: 0,
    poweredOn: false,
    provisioning: { state, ID: '' },
  },
});

/** The message of a refusal; undefined when it is accepted. */
export const refusal = (host: BareMetalHost, before?: BareMetalHost): string | undefined =>
  isJudged(before, host) ? refusalMessage(problemsOf(rules, before, host)) : undefined;

export const bmc = (address: string) => ({ bmc: { address, credentialsName: 'secret' } });

export const MAC = '52:54:00:00:00:01';
