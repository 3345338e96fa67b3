import { z } from 'zod';
import { lenientFlag, lenientText, maybe, maybeText, orEmpty } from '../../api/meta/lenient.ts';
import { objectReference, secretReference } from '../../api/meta/references.ts';
import type { HostInputs } from '../../domain/data/facts.ts';
import { registrySecretOf } from '../../domain/ironic/deployment/data-secrets.ts';
import { type HostFacts, type HostObject, hostFacts } from '../../domain/machine/choose-host/host-facts.ts';
import { once } from '../once.ts';
import { readObject } from './any-object.ts';
import { conditionsOf } from './conditions.ts';
import { type Metadata, namedFacts } from './metadata.ts';

const secret = maybe(secretReference);
const vendor = z.object({ manufacturer: maybeText, productName: maybeText, serialNumber: maybeText }).catch({});
const nic = orEmpty({ name: maybeText, mac: maybeText, ip: lenientText });
const count = z.number().catch(0);
const span = z.object({ start: maybeText, end: maybeText }).catch({ start: undefined, end: undefined });
const spans = z.record(z.string(), span).catch({});
const image = maybe(z.object({ url: maybeText, checksum: maybeText, ociAuthSecretName: maybeText }));
const deploy = orEmpty({ method: lenientText });

/** The fields of a host that others than its own workflow use. Lenient: other fields may be malformed. */
const hostObject = z.object({
  spec: orEmpty({
    consumerRef: maybe(objectReference),
    image: z.unknown().optional(),
    customDeploy: z.unknown().optional(),
    userData: secret,
    metaData: secret,
    networkData: secret,
    preprovisioningNetworkDataName: lenientText,
    online: lenientFlag,
    automatedCleaningMode: maybeText,
    disablePowerOff: lenientFlag,
    inspectionMode: maybeText,
    externallyProvisioned: maybe(z.boolean()),
    bootMACAddress: maybeText,
    architecture: lenientText,
    bmc: orEmpty({ address: lenientText, credentialsName: lenientText }),
  }),
  status: orEmpty({
    operationalStatus: lenientText,
    lastUpdated: lenientText,
    provisioning: orEmpty({ state: lenientText, ID: lenientText, image, customDeploy: deploy }),
    lastAttemptedImage: image,
    goodCredentials: orEmpty({ credentials: orEmpty({ name: lenientText }) }),
    errorMessage: lenientText,
    errorType: lenientText,
    errorCount: count,
    provisioningFailCount: count,
    operationHistory: spans,
    poweredOn: lenientFlag,
    hardware: orEmpty({ hostname: lenientText, nics: maybe(z.array(nic)), systemVendor: vendor }),
  }),
});
type Parsed = z.infer<typeof hostObject>;

/** When an operation began and ended last, RFC 3339. */
export type OperationSpan = z.infer<typeof span>;

export interface BareMetalHostRead extends HostObject {
  readonly metadata: Metadata;
  readonly spec: HostObject['spec'] & Pick<Parsed['spec'], 'bootMACAddress' | 'inspectionMode'>;
  readonly bmcAddress: string;
  /** '' for none. */
  readonly imageUrl: string;
  /** The method of its custom deployment; '' for none. */
  readonly deployMethod: string;
  /** CPU architecture in its spec; '' for none. */
  readonly architecture: string;
  /** All images of the host: in its spec, deployed on it, and attempted last. */
  readonly images: readonly NonNullable<z.infer<typeof image>>[];
  /** What is deployed on the host, as its status says; '' for nothing. */
  readonly provisioned: { readonly imageUrl: string; readonly deployMethod: string };
  /** The Secret with the login for the registry of its image; '' for none. */
  readonly registrySecret: string;
  /** The BMC Secret that worked last; '' for none. */
  readonly goodSecret: string;
  /** UUID of its Ironic node; '' for none. */
  readonly nodeId: string;
  /** The Secret with the network data of the deploy agent; '' for none. */
  readonly agentNetworkData: string;
  readonly operationalStatus: string;
  /** When its status was written, RFC 3339; '' before the first time. */
  readonly lastUpdated: string;
  /** '': it shows no error. */
  readonly errorType: string;
  readonly errorCount: number;
  readonly provisioningFailCount: number;
  /** The last span of each operation, by its name. */
  readonly operationHistory: Readonly<Record<string, OperationSpan>>;
  readonly systemVendor: z.infer<typeof vendor>;
  /** As inspection reported them; undefined before inspection. */
  readonly nics?: readonly z.infer<typeof nic>[] | undefined;
  /** The status without the hardware, as it was read. It moves with the host to another cluster. */
  readonly carriedStatus: Readonly<Record<string, unknown>>;
}

export const readHost = once((object): BareMetalHostRead => {
  const { metadata, status: written } = readObject(object);
  const { spec, status } = hostObject.parse(object);
  const { bmc, preprovisioningNetworkDataName, architecture, ...rest } = spec;
  const { hardware: _, ...carriedStatus } = written;
  const { provisioning, hardware, errorMessage, poweredOn } = status;
  const { hostname, nics } = hardware;
  const ips = (nics ?? []).map(({ ip }) => ip).filter((ip) => ip !== '');
  const wanted = image.parse(spec.image);
  return {
    metadata,
    spec: { ...rest, credentialsName: bmc.credentialsName },
    status: { state: provisioning.state, errorMessage, ...notReadyIn(written), poweredOn, ips, hostname },
    bmcAddress: bmc.address,
    imageUrl: wanted?.url ?? '',
    deployMethod: deploy.parse(spec.customDeploy).method,
    architecture,
    images: [wanted, provisioning.image, status.lastAttemptedImage].filter((one) => one !== undefined),
    provisioned: { imageUrl: provisioning.image?.url ?? '', deployMethod: provisioning.customDeploy.method },
    registrySecret: registrySecretOf(wanted ?? {}),
    goodSecret: status.goodCredentials.credentials.name,
    nodeId: provisioning.ID,
    agentNetworkData: preprovisioningNetworkDataName,
    operationalStatus: status.operationalStatus,
    lastUpdated: status.lastUpdated,
    errorType: status.errorType,
    errorCount: status.errorCount,
    provisioningFailCount: status.provisioningFailCount,
    operationHistory: status.operationHistory,
    systemVendor: hardware.systemVendor,
    nics,
    carriedStatus,
  };
});

function notReadyIn(status: Readonly<Record<string, unknown>>): Pick<HostFacts, 'notReady'> {
  const ready = conditionsOf(status).find(({ type }) => type === 'Ready');
  const isTold = ready?.status === 'False' && ready.message !== '';
  return isTold ? { notReady: `${ready.reason}: ${ready.message}` } : {};
}

/** The URLs, with the secrets in them, of all its images and their checksums. */
export const imageUrlsOf = ({ images }: Pick<BareMetalHostRead, 'images'>): readonly string[] =>
  images.flatMap(({ url, checksum }) => [url, checksum].filter((one) => one !== undefined));

/** The fields of a host that machines and the host choice use. */
export const readHostFacts = once((object): HostFacts => hostFacts(readHost(object)));

/** The fields of a host that a machine's data is rendered from. */
export function hostInputs(object: unknown): HostInputs {
  const { metadata, spec, nics } = readHost(object);
  return { ...namedFacts(metadata), bootMACAddress: spec.bootMACAddress, nics };
}
