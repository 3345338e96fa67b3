/*
 * Names and values of labels are judged in the words of Kubernetes: kubectl, the API server and cluster-api-provider-metal3
 * say the same of the same selector.
 */

const NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const VALUE = `(${NAME})?`;
const DOMAIN = String.raw`[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*`;
const LONGEST = 63;
const LONGEST_DOMAIN = 253;

const REST =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const OF_NAME = `${REST} (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${NAME}')`;
const OF_KEY = `a valid label key ${OF_NAME} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`;
const OF_VALUE = `a valid label must be an empty string or ${REST.replace('must consist', 'consist')} (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${VALUE}')`;
const OF_DOMAIN = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${DOMAIN}')`;

const whole = (pattern: string): RegExp => new RegExp(`^${pattern}$`);
const [WHOLE_NAME, WHOLE_VALUE, WHOLE_DOMAIN] = [whole(NAME), whole(VALUE), whole(DOMAIN)];
const tooLong = (longest: number): string => `must be no more than ${longest} bytes`;
const isTooLong = (text: string, longest: number): boolean => text.length > longest;

function wordsOfKey(key: string): readonly string[] {
  const parts = key.split('/');
  if (parts.length > 2) return [OF_KEY];
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? parts[0] : undefined;
  return [
    ...(prefix === '' ? ['prefix part must be non-empty'] : []),
    ...(prefix ? wordsOfDomain(prefix).map((words) => `prefix part ${words}`) : []),
    ...(name === '' ? ['name part must be non-empty'] : []),
    ...(isTooLong(name, LONGEST) ? [`name part ${tooLong(LONGEST)}`] : []),
    ...(WHOLE_NAME.test(name) ? [] : [`name part ${OF_NAME}`]),
  ];
}

const wordsOfDomain = (domain: string): readonly string[] => [
  ...(isTooLong(domain, LONGEST_DOMAIN) ? [tooLong(LONGEST_DOMAIN)] : []),
  ...(WHOLE_DOMAIN.test(domain) ? [] : [OF_DOMAIN]),
];

const wordsOfValue = (value: string): readonly string[] => [
  ...(isTooLong(value, LONGEST) ? [tooLong(LONGEST)] : []),
  ...(WHOLE_VALUE.test(value) ? [] : [OF_VALUE]),
];

export const invalidValue = (field: string, value: string, detail: string): string =>
  `${field}: Invalid value: ${JSON.stringify(value)}: ${detail}`;

const problems = (field: string, value: string, words: readonly string[]): readonly string[] =>
  words.length === 0 ? [] : [invalidValue(field, value, words.join('; '))];

/** What is wrong with the name of a label. */
export const keyProblems = (key: string): readonly string[] => problems('key', key, wordsOfKey(key));

/** What is wrong with the values of a label. */
export const valueProblems = (key: string, values: readonly string[]): readonly string[] =>
  values.flatMap((value, index) => problems(`values[${index}][${key}]`, value, wordsOfValue(value)));
