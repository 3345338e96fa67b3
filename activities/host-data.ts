import type { HardwareDetails, Image, SecretReference } from '../api/baremetalhost/types.ts';
import type { HostRef, Warning } from '../domain/ironic/orders.ts';

export type BmcCredentials =
  | {
      readonly kind: 'ok';
      readonly username: string;
      readonly password: string;
      readonly version: string;
      /** Message of a policy that forbids to mark the Secret. */
      readonly refusal?: string;
    }
  | { readonly kind: 'missing'; readonly message: string }
  | { readonly kind: 'invalid'; readonly message: string; readonly version: string };

/** The text under a key of a Secret that is marked as read. */
export interface SecretText {
  readonly namespace: string;
  readonly secret: string;
  readonly key: string;
  readonly text: string;
  /** resourceVersion of the Secret after it was marked. */
  readonly version: string;
  /** The keys of a Secret that has none of those that are read; the text is empty then. */
  readonly unreadKeys?: readonly string[];
}

export type RegistryLogin =
  /** `user:password`; a secret. */
  | { readonly kind: 'ok'; readonly login: string }
  | { readonly kind: 'missing'; readonly message: string }
  /** The content of the Secret is invalid; a Warning Event says so too. */
  | { readonly kind: 'invalid'; readonly message: string; readonly warning: Warning };

/**
 * What the activities need from Kubernetes to manage a node. Contents of Secrets stay in this process. No Secret is
 * marked once the given signal is aborted.
 */
export interface HostData {
  /**
   * Reads the BMC Secret and, with `claim`, marks it as ours (label, owner, finalizer) in one patch; `version` is the
   * one after that patch.
   */
  bmcCredentials(
    host: HostRef,
    name: string,
    options: { readonly claim: boolean; readonly signal?: AbortSignal },
  ): Promise<BmcCredentials>;
  /**
   * The text under `key` (or the key `value`) of a Secret in the host's own namespace; undefined without a reference.
   * Throws when the Secret is missing, or has no such key; of network data, that is an empty text.
   */
  hostData(
    host: HostRef,
    reference: SecretReference | undefined,
    key: 'userData' | 'networkData' | 'metaData',
    signal?: AbortSignal,
  ): Promise<SecretText | undefined>;
  /** The network configuration in a Secret, to which our finalizer is added; `version` is the one after that. */
  claimedNetworkData(host: HostRef, name: string, signal?: AbortSignal): Promise<SecretText>;
  /**
   * The credentials for the registry of an `oci://` image, from a Docker configuration in a Secret of the host's
   * namespace.
   */
  registryLogin(host: HostRef, name: string, imageUrl: string, signal?: AbortSignal): Promise<RegistryLogin>;
  /**
   * The image with the secrets in its URLs, from the host: workflows know it without them. Throws when the host has
   * another image by now. When only its checksum is another one, that one is returned.
   */
  openedImage(host: HostRef, image: Image): Promise<Image>;
  /**
   * The URL with its secrets, from the host and its DataImage and PreprovisioningImage: workflows know it without them.
   * Any other text is returned as it is. Throws when none of these objects has it any more.
   */
  openedUrl(host: HostRef, url: string): Promise<string>;
  /**
   * Secrets that no text about the host may contain: the password of the BMC, the login of a registry, secrets in URLs.
   */
  secretsOf(host: HostRef): Promise<readonly string[]>;
  /** Replaces the HardwareData of the host; idempotent. */
  saveHardware(host: HostRef, hardware: HardwareDetails): Promise<void>;
  /** The hardware details stored for the host, undefined when there are none. */
  readHardware(host: HostRef): Promise<HardwareDetails | undefined>;
}

/** Something is missing in the host's own data; a changed Secret or spec helps. */
export class HostDataError extends Error {
  override readonly name = 'HostDataError';
}

/** Names of keys in an error; of a Secret with many, the first ones. */
export const keysInWords = (keys: readonly string[]): string =>
  keys.length > 5 ? `${keys.slice(0, 5).join(', ')} and others` : keys.join(', ');
