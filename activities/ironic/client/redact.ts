import { BOUNDS } from '../../../domain/bounds/bounds.ts';

/** Shorter secrets occur by chance, and removing them would make a text unreadable. */
const SHORTEST = 3;

/** Shown for a text that nobody can search in a few milliseconds for all lines of its secrets. */
const UNSEARCHED = `(not shown, because it may quote secrets, which have more than ${BOUNDS.secretLines.values} lines)`;

/** Removes secrets from a text in which Ironic may have quoted them, in any escaping. */
export function redacted(text: string, secrets: readonly string[]): string {
  const lines = linesOf(secrets);
  if (lines === undefined) return UNSEARCHED;
  const quoted = quotesOf(text);
  return forms(lines.filter(quoted)).reduce((clean, secret) => clean.replaceAll(secret, '******'), text);
}

/** The secrets and their lines, because long texts are sometimes quoted line by line. undefined: too many. */
function linesOf(secrets: readonly string[]): readonly string[] | undefined {
  const lines = new Set<string>();
  for (const secret of secrets) {
    lines.add(secret);
    for (let at = 0; at < secret.length; ) {
      const next = secret.indexOf('\n', at);
      const end = next === -1 ? secret.length : next;
      if (end - at >= SHORTEST) lines.add(secret.slice(at, end).trim());
      if (lines.size > BOUNDS.secretLines.values) return undefined;
      at = end + 1;
    }
  }
  return [...lines];
}

/** Recognises secrets that the text cannot quote in any form: letters and digits are the same in each. */
function quotesOf(text: string): (secret: string) => boolean {
  const parts = new Set(Array.from(text, (_, at) => text.slice(at, at + SHORTEST)));
  return (secret) => {
    const [plain] = PLAIN.exec(secret) ?? [];
    return plain === undefined || (parts.has(plain.slice(0, SHORTEST)) && text.includes(plain));
  };
}

const PLAIN = new RegExp(`[A-Za-z0-9]{${SHORTEST},}`);

/** Longest first, so that no part of a long one remains. */
function forms(secrets: readonly string[]): readonly string[] {
  const escaped = secrets.flatMap((secret) => [
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
