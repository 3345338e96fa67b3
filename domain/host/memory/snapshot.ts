import type { BareMetalHostSpec } from '../../../api/baremetalhost/types.ts';
import type { Seen } from '../../entity/seen.ts';
import type { ImageFacts } from '../../preprovisioning/image.ts';
import type { CarriedHostStatus } from './host-record.ts';
import type { DataImageSeen } from './media-record.ts';
import type { HostSettings } from './settings.ts';

/** A Secret's name and version, never its content. null when it does not exist. */
export interface SecretVersion {
  readonly name: string;
  readonly resourceVersion: string | null;
}

/** A BareMetalHost as the bridge last saw it, complete: a lost, repeated or late snapshot changes nothing. */
export interface HostSnapshot extends Seen {
  /** Annotations under metal3.io that matter to the lifecycle. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The name of the retry for which an annotation asks. */
  readonly retry?: string;
  /** Message of a policy that forbids to write on the host what it inherits; `annotations` have it nevertheless. */
  readonly copyRefused?: string;
  /** Labels by which a budget counts the host; absent without any. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec: BareMetalHostSpec;
  readonly settings: HostSettings;
  readonly bmcSecret?: SecretVersion;
  /** The Secret with the network configuration of the deploy agent. */
  readonly preprovisioningNetworkData?: SecretVersion;
  /** The Secrets that a deployment reads; only while the host shows an error, or failed deployments. */
  readonly dataSecrets?: readonly SecretVersion[];
  /** The PreprovisioningImage of the same name; only where images are built. */
  readonly image?: ImageFacts;
  /** The DataImage of the same name. */
  readonly dataImage?: DataImageSeen;
  /** A HardwareData of the same name exists. */
  readonly hasHardwareData: boolean;
  /** CPU architecture of that HardwareData, '' when unknown. */
  readonly hardwareArchitecture: string;
  /** status.hardware is set. */
  readonly hasHardware: boolean;
  /** status.provisioningFailCount, when another client wrote it after us. */
  readonly failCountWritten?: number;
  /**
   * The current status of the BareMetalHost; read only by a workflow without memory of this uid. Absent when it was
   * never written.
   */
  readonly status?: CarriedHostStatus;
}
