import { mediumUrlProblem } from '../urls/image-url.ts';
import { alike } from './rules.ts';

interface DataImage {
  readonly spec: { readonly url: string };
}

export const dataImageRules = alike<DataImage>(({ spec: { url } }) => {
  const problem = mediumUrlProblem(url);
  return problem === undefined ? [] : [problem];
});
