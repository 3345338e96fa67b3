import { describe, expect, test } from 'vitest';
import { dataImageRules } from './dataimage.ts';

const problems = (url: string) => dataImageRules.created({ spec: { url } });

describe('a DataImage', () => {
  test.each(['http://images/data.iso', 'https://images/data.iso', 'ftp://images/data.iso'])(
    'may come from %s',
    (url) => {
      expect(problems(url)).toEqual([]);
    },
  );

  test.each([
    ['', 'URL "" is invalid: not a valid absolute URL'],
    ['data.iso', 'URL "data.iso" is invalid: not a valid absolute URL'],
    ['file:///data.iso', 'URL "file:///data.iso" is invalid: invalid scheme in URL, "file" not allowed'],
  ])('may not come from %j', (url, message) => {
    expect(problems(url)).toEqual([message]);
  });
});
