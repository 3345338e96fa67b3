import type { BareMetalHostSpec } from '../../../api/baremetalhost/types.ts';
import { isLiveIso } from '../../ironic/deployment/image.ts';

type Asked = Pick<BareMetalHostSpec, 'image' | 'userData' | 'metaData' | 'networkData' | 'rootDeviceHints'>;

/**
 * The fields of a spec that a live ISO makes useless: it boots without a config drive, and nothing is written to a disk.
 */
export function unusedFields(spec: Asked): readonly string[] {
  const { image } = spec;
  if (!image?.url || !isLiveIso({ image })) return [];
  return (['userData', 'metaData', 'networkData', 'rootDeviceHints'] as const)
    .filter((field) => spec[field] !== undefined)
    .map((field) => `spec.${field}`);
}

/** Says that the fields have no effect; undefined without any. */
export function unusedInWords(spec: Asked): string | undefined {
  const fields = unusedFields(spec);
  return fields.length === 0
    ? undefined
    : `${fields.join(', ')} ${fields.length === 1 ? 'has' : 'have'} no effect: the image is a live ISO, which gets no config drive and is written to no disk`;
}
