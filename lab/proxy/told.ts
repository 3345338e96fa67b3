import { createHash } from 'node:crypto';
import { z } from 'zod';

/** The recorded part of a request's body: the target of a move, or the image to deploy. */
export interface ToldRequest {
  readonly target?: string;
  readonly image?: string;
}

const move = z.looseObject({ target: z.string() });
const change = z.array(z.looseObject({ path: z.string(), value: z.unknown() }));

/** Distinguishes images without their URLs, which may contain secrets. */
export const urlDigest = (url: string): string => createHash('sha256').update(url).digest('hex').slice(0, 12);

export function toldIn(body: Buffer): ToldRequest {
  const content = parsed(body);
  const { data: moved } = move.safeParse(content);
  if (moved !== undefined) return { target: moved.target };
  const image = change.safeParse(content).data?.find(({ path }) => path === '/instance_info/image_source')?.value;
  return typeof image === 'string' ? { image: urlDigest(image) } : {};
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
