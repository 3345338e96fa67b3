import { namesOf, v1alpha1Resource } from '../custom-resource.ts';
import { dataImage } from './kind.ts';
import { dataImageSpec, dataImageStatus } from './schema.ts';

export const dataImageResource = v1alpha1Resource({
  ...namesOf(dataImage),
  description:
    'An image for the virtual drive of the BareMetalHost of the same name. It is inserted when the host is next powered on.',
  columns: [],
  spec: dataImageSpec,
  status: dataImageStatus,
});
