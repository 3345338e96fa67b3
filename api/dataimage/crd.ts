import { type CustomResource, namesOf } from '../custom-resource.ts';
import { dataImage } from './kind.ts';
import { dataImageSpec, dataImageStatus } from './schema.ts';

export const dataImageResource: CustomResource = {
  ...namesOf(dataImage),
  description:
    'An image for the virtual drive of the BareMetalHost of the same name. It is inserted when the host is next powered on.',
  versions: [{ name: 'v1alpha1', columns: [], spec: dataImageSpec, status: dataImageStatus }],
};
