/** Types only: importing this file loads no code, so workflows and domain can import it. */
import type { z } from 'zod';
import type { DeepReadonly } from '../meta/readonly.ts';
import type { hardwareDetails } from './hardware.ts';
import type { image } from './image.ts';
import type { rootDeviceHints } from './root-device-hints.ts';
import type { bareMetalHost } from './schema.ts';
import type { bareMetalHostSpec } from './spec.ts';
import type { bareMetalHostStatus } from './status.ts';

export type { ObjectReference, SecretReference } from '../meta/references.ts';

export type BareMetalHost = DeepReadonly<z.infer<typeof bareMetalHost>>;
export type BareMetalHostSpec = DeepReadonly<z.infer<typeof bareMetalHostSpec>>;
export type BareMetalHostStatus = DeepReadonly<z.infer<typeof bareMetalHostStatus>>;
export type HardwareDetails = DeepReadonly<z.infer<typeof hardwareDetails>>;
export type Image = DeepReadonly<z.infer<typeof image>>;
export type Nic = NonNullable<HardwareDetails['nics']>[number];
export type OperationHistory = NonNullable<BareMetalHostStatus['operationHistory']>;
export type ProvisioningStatus = BareMetalHostStatus['provisioning'];
export type Raid = NonNullable<BareMetalHostSpec['raid']>;
export type HardwareRaidVolume = NonNullable<Raid['hardwareRAIDVolumes']>[number];
export type SoftwareRaidVolume = NonNullable<Raid['softwareRAIDVolumes']>[number];
export type RootDeviceHints = DeepReadonly<z.infer<typeof rootDeviceHints>>;
export type Disk = NonNullable<HardwareDetails['storage']>[number];
