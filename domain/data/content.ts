import { DataProblem } from './facts.ts';

/** The content of a config drive, before it is written as YAML. */
export type Content = string | number | boolean | null | readonly Content[] | ContentMap;
export interface ContentMap {
  readonly [key: string]: Content;
}

/** The content as readers of upstream's YAML get it: some characters are refused, NEL line breaks are folded. */
export const readable = (map: ContentMap): ContentMap =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [readableText(key), readableValue(value)]));

function readableValue(value: Content): Content {
  if (typeof value === 'string') return readableText(value);
  if (typeof value !== 'object' || value === null) return value;
  return isList(value) ? value.map(readableValue) : readable(value);
}

const isList = (value: readonly Content[] | ContentMap): value is readonly Content[] => Array.isArray(value);

const REFUSED = /[\u007F-\u0084\u0086-\u009F\uFFFE\uFFFF]/;
const NEL = '\u0085';

function readableText(text: string): string {
  if (REFUSED.test(text)) throw new DataProblem('yaml: control characters are not allowed');
  return text.replaceAll(/[ \u0085]+/g, (run) => {
    const breaks = run.split(NEL).length - 1;
    if (breaks === 0) return run;
    return breaks === 1 ? ' ' : '\n'.repeat(breaks - 1);
  });
}
