import type { HardwareDetails, SecretReference } from '../api/baremetalhost/types.ts';
import type { HostRef, Warning } from '../domain/ironic/orders.ts';

export type BmcCredentials =
  | { readonly kind: 'ok'; readonly username: string; readonly password: string; readonly version: string }
  | { readonly kind: 'missing'; readonly message: string }
  | { readonly kind: 'invalid'; readonly message: string; readonly version: string };

/** What a Secret gets beside the label of those we read. */
export interface SecretMarks {
  /** Kept until the host lets it go. */
  readonly hold: boolean;
  /** Collected with the host. */
  readonly own: boolean;
}

export interface MarkedSecretText {
  readonly text: string;
  readonly version: string;
}

export type RegistryLogin =
  /** `user:password`; a secret. */
  | { readonly kind: 'ok'; readonly login: string }
  | { readonly kind: 'missing'; readonly message: string }
  /** What is in the Secret is of no use; an Event of type Warning says so too. */
  | { readonly kind: 'invalid'; readonly message: string; readonly warning: Warning };

/** What driving a node needs from Kubernetes; contents of Secrets stay inside the process that asked. */
export interface HostData {
  /** Reads the BMC Secret and, with `claim`, marks it as ours (label, owner, finalizer) in one patch; `version` is the one after that. */
  bmcCredentials(host: HostRef, name: string, options: { readonly claim: boolean }): Promise<BmcCredentials>;
  /** The text under `key` (or the key `value`) of a Secret in the host's own namespace; undefined without a reference. Throws when the Secret is missing. */
  hostData(
    host: HostRef,
    reference: SecretReference | undefined,
    key: 'userData' | 'networkData' | 'metaData',
  ): Promise<string | undefined>;
  /** The same of a network, from a Secret that is claimed as said; `version` is the one after that. */
  claimedNetworkData(host: HostRef, name: string, claim: SecretMarks): Promise<MarkedSecretText>;
  /** The login for the registry of an `oci://` image, out of a Docker configuration in a Secret of the host's own namespace. */
  registryLogin(host: HostRef, name: string, imageUrl: string): Promise<RegistryLogin>;
  /** Writes the HardwareData of the host anew; idempotent. */
  saveHardware(host: HostRef, hardware: HardwareDetails): Promise<void>;
  /** The hardware details stored for the host, undefined when there are none. */
  readHardware(host: HostRef): Promise<HardwareDetails | undefined>;
}

/** What a host's own data lacks; a changed Secret or spec helps. */
export class HostDataError extends Error {
  override readonly name = 'HostDataError';
}
