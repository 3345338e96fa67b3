/** Shorter ones occur by chance, and blotting them out would make a text unreadable. */
const SHORTEST = 3;

/** Takes secrets out of a text that Ironic may have quoted them in, however it escaped them. */
export function redacted(text: string, secrets: readonly string[]): string {
  return forms(secrets).reduce((clean, secret) => clean.replaceAll(secret, '******'), text);
}

/** Longest first, so that no part of a long one is left over. Long texts are quoted line by line at times. */
function forms(secrets: readonly string[]): readonly string[] {
  const whole = secrets.flatMap((secret) => [secret, ...secret.split(/\r?\n/).map((line) => line.trim())]);
  const escaped = whole.flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    secret.replaceAll('\\', '\\\\').replaceAll("'", "\\'"),
    encodeURIComponent(secret.toWellFormed()),
  ]);
  return [...new Set(escaped)].filter((form) => form.length >= SHORTEST).toSorted((a, b) => b.length - a.length);
}

/** Every text in a document, keys left out. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
