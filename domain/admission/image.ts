import type { Image } from '../../api/baremetalhost/types.ts';
import { checksumProblem } from '../ironic/deployment/image.ts';
import { imageUrlProblem } from '../urls/image-url.ts';

export const imageProblems = (image: Image | undefined): readonly string[] =>
  image === undefined ? [] : [imageUrlProblem(image.url), checksumProblem(image)].filter((each) => each !== undefined);
