import { z } from 'zod';
import { keyedList, set } from './lists.ts';
import { boundedText, integer } from './scalars.ts';

/** What a version of Cluster API's kinds requires of fields that both versions have. */
export interface Version {
  /** Without bounds, a word. */
  readonly text: (bounds?: Parameters<typeof boundedText>[0]) => z.ZodString;
  readonly integer: typeof integer;
  readonly list: typeof keyedList;
  readonly set: typeof set;
}

/** v1beta1 has no bounds for lists, and no minimum for texts and numbers. */
export const V1BETA1: Version = {
  text(bounds) {
    const { minLength: _, ...others } = bounds ?? {};
    return boundedText(others);
  },
  integer(bounds) {
    const { minimum: _, format: __, ...others } = bounds ?? {};
    return integer(others);
  },
  list: (item) => z.array(item),
  set: (item) => z.array(item),
};

export const V1BETA2: Version = {
  text: (bounds) => boundedText({ minLength: 1, maxLength: 512, ...bounds }),
  integer: (bounds) => integer({ ...bounds, format: 'int32' }),
  list: keyedList,
  set,
};
