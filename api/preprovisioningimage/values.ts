/** Words of the PreprovisioningImage API. Plain constants: importing them loads nothing. */

export const IMAGE_FORMATS = ['iso', 'initrd'] as const;
