/** Shorter secrets occur by chance, and removing them would make a text unreadable. */
const SHORTEST = 3;

/** Removes secrets from a text in which Ironic may have quoted them, in any escaping. */
export function redacted(text: string, secrets: readonly string[]): string {
  return forms(secrets).reduce((clean, secret) => clean.replaceAll(secret, '******'), text);
}

/** Longest first, so that no part of a long one remains. Long texts are sometimes quoted line by line. */
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

/** All texts in a document, without keys. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
