import type { BareMetalHostSpec } from '../../../api/baremetalhost/types.ts';
import type { Seen } from '../../entity/seen.ts';
import type { ImageFacts } from '../../preprovisioning/image.ts';
import type { DataImageSeen } from '../media/media.ts';
import type { CarriedHostStatus } from '../report/view.ts';
import type { HostSettings } from './settings.ts';

/** A Secret as seen by its metadata: name and version, never content. null when there is none of that name. */
export interface SecretVersion {
  readonly name: string;
  readonly resourceVersion: string | null;
}

/** A BareMetalHost as the bridge last saw it, whole: losing, doubling or delaying one changes nothing. */
export interface HostSnapshot extends Seen {
  /** Annotations under metal3.io that matter to the lifecycle. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: BareMetalHostSpec;
  readonly settings: HostSettings;
  readonly bmcSecret?: SecretVersion;
  /** The Secret with the network of the deploy agent. */
  readonly preprovisioningNetworkData?: SecretVersion;
  /** Only where images are built: the PreprovisioningImage of the same name. */
  readonly image?: ImageFacts;
  /** The DataImage of the same name. */
  readonly dataImage?: DataImageSeen;
  /** A HardwareData of the same name exists. */
  readonly hasHardwareData: boolean;
  /** CPU architecture of that HardwareData, '' when unknown. */
  readonly hardwareArchitecture: string;
  /** status.hardware is filled. */
  readonly hasHardware: boolean;
  /** status.provisioningFailCount, when somebody else wrote it after we did. */
  readonly failCountWritten?: number;
  /** The status the CR carries, read only when the workflow has no memory of this uid; absent when it was never written. */
  readonly status?: CarriedHostStatus;
}
