import { z } from 'zod';
import { lenientFlag, lenientText, maybeText, orEmpty } from '../../api/meta/lenient.ts';
import { objectReference, secretReference } from '../../api/meta/references.ts';
import type { HostInputs } from '../../domain/data/facts.ts';
import { type HostFacts, type HostObject, hostFacts } from '../../domain/machine/choose-host/host-facts.ts';
import { once } from '../once.ts';
import { type Metadata, metadata, namedFacts } from './metadata.ts';

const anyStatus = z.object({ status: z.record(z.string(), z.unknown()).catch({}) });
const secret = secretReference.optional().catch(undefined);
const nic = z.object({ name: maybeText, mac: maybeText, ip: lenientText });

/** The fields of a host that others than its own workflow use. Lenient: other fields may be malformed. */
const hostObject = z.object({
  metadata,
  spec: orEmpty(
    z.object({
      consumerRef: objectReference.optional().catch(undefined),
      image: z.unknown().optional(),
      customDeploy: z.unknown().optional(),
      userData: secret,
      metaData: secret,
      networkData: secret,
      online: lenientFlag,
      automatedCleaningMode: maybeText,
      disablePowerOff: lenientFlag,
      externallyProvisioned: z.boolean().optional().catch(undefined),
      bootMACAddress: maybeText,
      bmc: z.object({ credentialsName: lenientText }).catch({ credentialsName: '' }),
    }),
  ),
  status: orEmpty(
    z.object({
      provisioning: z.object({ state: lenientText }).catch({ state: '' }),
      errorMessage: lenientText,
      poweredOn: lenientFlag,
      hardware: z
        .object({ hostname: lenientText, nics: z.array(nic).optional().catch(undefined) })
        .catch({ hostname: '', nics: undefined }),
    }),
  ),
});
type Parsed = z.infer<typeof hostObject>;

export interface BareMetalHostRead extends HostObject {
  readonly metadata: Metadata;
  readonly spec: HostObject['spec'] & Pick<Parsed['spec'], 'bootMACAddress'>;
  /** As inspection reported them; undefined before inspection. */
  readonly nics?: readonly z.infer<typeof nic>[] | undefined;
  /** The status without the hardware, as it was read. It moves with the host to another cluster. */
  readonly carriedStatus: Readonly<Record<string, unknown>>;
}

export const readHost = once((object): BareMetalHostRead => {
  const { metadata, spec, status } = hostObject.parse(object);
  const { bmc, ...rest } = spec;
  const { hardware: _, ...carriedStatus } = anyStatus.parse(object).status;
  const { provisioning, hardware, errorMessage, poweredOn } = status;
  const { hostname, nics } = hardware;
  const ips = (nics ?? []).map(({ ip }) => ip).filter((ip) => ip !== '');
  return {
    metadata,
    spec: { ...rest, credentialsName: bmc.credentialsName },
    status: { state: provisioning.state, errorMessage, poweredOn, ips, hostname },
    nics,
    carriedStatus,
  };
});

/** The fields of a host that machines and the host choice use. */
export const readHostFacts = once((object): HostFacts => hostFacts(readHost(object)));

/** The fields of a host that a machine's data is rendered from. */
export function hostInputs(object: unknown): HostInputs {
  const { metadata, spec, nics } = readHost(object);
  return { ...namedFacts(metadata), bootMACAddress: spec.bootMACAddress, nics };
}
