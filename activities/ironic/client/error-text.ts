const LONGEST = 2_000;

/** Extracts Ironic's message from the body of an error: text, JSON, or JSON in a string in JSON. Never empty. */
export function errorText(body: string, status: number): string {
  const words = wordsOf(parsed(body) ?? body).trim();
  const text = words === '' ? `HTTP status ${status} without a reason` : words;
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)} …`;
}

function wordsOf(value: unknown): string {
  if (typeof value === 'string') {
    const inner = parsed(value);
    return inner === undefined ? plain(value) : wordsOf(inner);
  }
  if (typeof value !== 'object' || value === null) return '';
  for (const key of ['faultstring', 'error_message', 'message', 'title', 'error']) {
    const words = wordsOf((value as Readonly<Record<string, unknown>>)[key]);
    if (words !== '') return words;
  }
  return '';
}

/** A proxy in front of Ironic answers with an HTML page. */
const plain = (text: string): string =>
  /^\s*<(!doctype|html)/i.test(text) ? (/<title>(.*?)<\/title>/is.exec(text)?.[1]?.trim() ?? '') : text;

function parsed(text: string): object | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
