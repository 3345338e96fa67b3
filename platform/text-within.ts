import { BeyondBound } from '../domain/bounds/beyond-bound.ts';
import type { Bound } from '../domain/bounds/bounds.ts';

/** The text of a body in UTF-8. Throws `BeyondBound`, and stops to read, as soon as the body has more bytes. */
export async function textWithin(body: AsyncIterable<Uint8Array>, bound: Bound): Promise<string> {
  const chunks: Uint8Array[] = [];
  let left = bound.characters;
  for await (const chunk of body) {
    left -= chunk.length;
    if (left < 0) throw new BeyondBound(bound, 'characters');
    chunks.push(chunk);
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(chunks));
}
