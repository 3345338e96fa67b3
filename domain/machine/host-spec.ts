import type { HostChange } from './memory/step.ts';

/** The machine's desired fields as fields of the host's spec; null removes one. */
export function hostSpec({ image, ...rest }: HostChange): object {
  if (image === undefined || image === null) return { ...rest, ...(image === null && { image }) };
  const { diskFormat: format, ...told } = image;
  return { ...rest, image: { ...told, ...(format !== undefined && { format }) } };
}
