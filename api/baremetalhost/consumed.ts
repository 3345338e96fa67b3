import { z } from 'zod';
import {
  lenientFlag as flag,
  maybeText,
  orEmpty,
  lenientText as text,
  lenientTexts as texts,
} from '../meta/lenient.ts';
import { objectReference, secretReference } from '../meta/references.ts';

const anyStatus = z.object({ status: z.record(z.string(), z.unknown()).catch({}) });
const reference = secretReference.optional().catch(undefined);

/** The fields of a host that its consumer uses. Lenient: other fields may be malformed. */
const consumedHost = z.object({
  metadata: z.object({
    namespace: z.string(),
    name: z.string(),
    uid: z.string(),
    resourceVersion: z.string(),
    labels: texts,
    annotations: texts,
    deletionTimestamp: maybeText,
  }),
  spec: orEmpty(
    z.object({
      consumerRef: objectReference.optional().catch(undefined),
      image: z.unknown().optional(),
      customDeploy: z.unknown().optional(),
      userData: reference,
      metaData: reference,
      networkData: reference,
      online: flag,
      automatedCleaningMode: maybeText,
      disablePowerOff: flag,
      bmc: z.object({ credentialsName: text }).catch({ credentialsName: '' }),
    }),
  ),
  status: orEmpty(
    z.object({
      provisioning: z.object({ state: text }).catch({ state: '' }),
      errorMessage: text,
      poweredOn: flag,
      hardware: z
        .object({ hostname: text, nics: z.array(z.object({ ip: text })).catch([]) })
        .catch({ hostname: '', nics: [] }),
    }),
  ),
});
type Parsed = z.infer<typeof consumedHost>;

export interface ConsumedHost {
  readonly metadata: Parsed['metadata'];
  readonly spec: Omit<Parsed['spec'], 'bmc'> & { readonly credentialsName: string };
  readonly status: {
    readonly state: string;
    readonly errorMessage: string;
    readonly poweredOn: boolean;
    /** IP addresses of the network interfaces, in their order. */
    readonly ips: readonly string[];
    readonly hostname: string;
  };
  /** The status without the hardware, as it was read. It moves with the host to another cluster. */
  readonly carriedStatus: Readonly<Record<string, unknown>>;
}

/** A BareMetalHost as its consumer reads it. */
export function readConsumedHost(object: unknown): ConsumedHost {
  const { metadata, spec, status } = consumedHost.parse(object);
  const { bmc, ...rest } = spec;
  const { hardware: _, ...carriedStatus } = anyStatus.parse(object).status;
  const { provisioning, hardware, errorMessage, poweredOn } = status;
  const ips = hardware.nics.map(({ ip }) => ip).filter((ip) => ip !== '');
  return {
    metadata,
    spec: { ...rest, credentialsName: bmc.credentialsName },
    status: { state: provisioning.state, errorMessage, poweredOn, ips, hostname: hardware.hostname },
    carriedStatus,
  };
}
