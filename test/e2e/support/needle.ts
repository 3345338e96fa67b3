import { constants, inflateRawSync, zstdDecompressSync } from 'node:zlib';

/** Maximum depth of nested encodings. */
const DEPTH = 3;
const BASE64_RUN = /[A-Za-z0-9+/_-]{12,}={0,2}/g;

/**
 * Those of the texts that these bytes contain: raw, in base64 (at any offset), compressed, or in combinations of these.
 * To unpack the bytes takes nearly all of the time, so it is done once for all texts.
 */
export function held(hay: Buffer, needles: readonly string[], depth: number = DEPTH): ReadonlySet<string> {
  const found = new Set(needles.filter((needle) => hay.includes(needle)));
  if (depth === 0) return found;
  for (const inner of found.size === needles.length ? [] : packed(hay)) {
    const missing = needles.filter((needle) => !found.has(needle));
    if (missing.length === 0) break;
    for (const needle of held(inner, missing, depth - 1)) found.add(needle);
  }
  return found;
}

export const holds = (hay: Buffer, needle: string): boolean => held(hay, [needle]).has(needle);

function packed(hay: Buffer): readonly Buffer[] {
  return [...base64(hay), ...compressed(hay)];
}

/** Every run of base64 characters, decoded at each of the four possible offsets. */
function base64(hay: Buffer): readonly Buffer[] {
  const runs = hay.toString('latin1').match(BASE64_RUN) ?? [];
  const decoded = runs.flatMap((run) => [0, 1, 2, 3].map((offset) => Buffer.from(run.slice(offset), 'base64')));
  return decoded.filter((bytes) => bytes.length > 8);
}

/** Streams that begin with a magic number, and how to unpack them, ignoring what follows them. */
const PACKERS: readonly { readonly magic: Buffer; readonly unpack: (bytes: Buffer) => Buffer }[] = [
  { magic: Buffer.from([0x1f, 0x8b, 0x08]), unpack: (bytes) => inflate(bytes.subarray(gzipHeader(bytes))) },
  { magic: Buffer.from([0x78, 0x01]), unpack: (bytes) => inflate(bytes.subarray(2)) },
  { magic: Buffer.from([0x78, 0x9c]), unpack: (bytes) => inflate(bytes.subarray(2)) },
  { magic: Buffer.from([0x78, 0xda]), unpack: (bytes) => inflate(bytes.subarray(2)) },
  { magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), unpack: (bytes) => zstdDecompressSync(bytes, { finishFlush: 1 }) },
];

/** A raw stream knows its end; the readers of its wrappers would read the following bytes as well. */
const inflate = (bytes: Buffer): Buffer => inflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });

/** Length of the header: ten bytes, and a zero-terminated file name if there is one. */
function gzipHeader(bytes: Buffer): number {
  const hasName = ((bytes[3] ?? 0) & 8) !== 0;
  return hasName ? bytes.indexOf(0, 10) + 1 : 10;
}

function compressed(hay: Buffer): readonly Buffer[] {
  return PACKERS.flatMap(({ magic, unpack }) => {
    const found: Buffer[] = [];
    for (let at = hay.indexOf(magic); at !== -1; at = hay.indexOf(magic, at + 1)) {
      try {
        found.push(unpack(hay.subarray(at)));
      } catch {
        // Bytes that only look like the start of a stream.
      }
    }
    return found;
  });
}
