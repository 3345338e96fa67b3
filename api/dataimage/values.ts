/** Keeps a DataImage until its medium has been taken out of the host. */
export const DATA_IMAGE_FINALIZER = 'dataimage.metal3.io';
