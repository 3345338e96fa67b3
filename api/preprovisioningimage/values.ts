/** Constants of the PreprovisioningImage API. Importing them loads no other code. */

export const IMAGE_FORMATS = ['iso', 'initrd'] as const;
export type ImageFormat = (typeof IMAGE_FORMATS)[number];

export const IMAGE_CONDITIONS = { ready: 'Ready', error: 'Error' } as const;

export const IMAGE_REASONS = {
  success: 'ImageSuccess',
  configuration: 'ConfigurationError',
  missingNetworkData: 'MissingNetworkData',
  invalid: 'ImageBuildInvalid',
} as const;
export type ImageReason = (typeof IMAGE_REASONS)[keyof typeof IMAGE_REASONS];

export const IMAGE_FINALIZERS = {
  /** Finalizer of the controller that builds the image. */
  builder: 'preprovisioningimage.metal3.io',
  /** Finalizer of the host that boots the image. */
  host: 'baremetalhost.metal3.io/preprovisioningImage',
} as const;
