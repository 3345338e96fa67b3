import { urlProblem } from './image.ts';
import type { Admitted, Rules } from './rules.ts';

interface DataImage extends Admitted {
  readonly spec: { readonly url: string };
}

export const dataImageRules: Rules<DataImage> = {
  problems({ spec: { url } }) {
    const problem = urlProblem(url);
    return problem === undefined ? [] : [`URL "${url}" is invalid: ${problem}`];
  },
};
