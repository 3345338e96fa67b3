/** Constants of the DataImage API. Importing them loads no other code. */

/** Keeps the DataImage until its medium is removed from the host's virtual drive. */
export const DATA_IMAGE_FINALIZER = 'dataimage.metal3.io';
