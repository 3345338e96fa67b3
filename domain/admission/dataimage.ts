import { publicPart } from '../urls/hidden.ts';
import { urlProblem } from './image.ts';
import { alike } from './rules.ts';

interface DataImage {
  readonly spec: { readonly url: string };
}

export const dataImageRules = alike<DataImage>(({ spec: { url } }) => {
  const problem = urlProblem(url);
  return problem === undefined ? [] : [`URL "${publicPart(url)}" is invalid: ${problem}`];
});
