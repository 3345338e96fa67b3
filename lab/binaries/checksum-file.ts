import { z } from 'zod';

/** The part of GitHub's description of a release that we use. */
const releaseSchema = z.object({
  assets: z.array(z.object({ name: z.string(), digest: z.string().nullish() })),
});

/**
 * Reads all kinds of checksum files: a single digest, lines of `digest  file`, and GitHub's JSON description of a
 * release.
 */
export function checksumIn(text: string, file: string): string | undefined {
  if (text.trimStart().startsWith('{')) return digestOfAsset(text, file);
  const lines = text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+\*?/));
  const [only] = lines;
  if (lines.length === 1 && only?.length === 1) return isDigest(only[0]) ? only[0].toLowerCase() : undefined;
  const digest = lines.find(([, name]) => name === file)?.[0];
  return isDigest(digest) ? digest.toLowerCase() : undefined;
}

function digestOfAsset(text: string, file: string): string | undefined {
  const { assets } = releaseSchema.parse(JSON.parse(text));
  const [algorithm, digest] = assets.find(({ name }) => name === file)?.digest?.split(':') ?? [];
  return algorithm === 'sha256' && isDigest(digest) ? digest : undefined;
}

const isDigest = (text: string | undefined): text is string =>
  text !== undefined && /^([0-9a-f]{64}){1,2}$/i.test(text);
