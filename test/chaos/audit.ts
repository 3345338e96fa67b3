import { open } from 'node:fs/promises';
import { z } from 'zod';

const text = z.string().default('');

const time = z.string().transform((at) => Date.parse(at));

const written = z.object({
  verb: z.string(),
  requestReceivedTimestamp: time,
  stageTimestamp: time,
  objectRef: z.object({ resource: z.string() }),
  responseStatus: z.object({ code: z.number() }),
  responseObject: z.looseObject({
    metadata: z.looseObject({
      name: z.string(),
      uid: z.string(),
      resourceVersion: z.string(),
      deletionTimestamp: z.string().optional(),
      finalizers: z.array(z.string()).default([]),
      annotations: z.record(z.string(), z.string()).default({}),
    }),
    data: z.record(z.string(), z.string()).optional(),
    spec: z
      .looseObject({
        consumerRef: z.looseObject({ name: text }).optional(),
        image: z.looseObject({ url: text }).optional(),
        online: z.boolean().default(false),
        externallyProvisioned: z.boolean().default(false),
      })
      .optional(),
    status: z
      .looseObject({
        provisioning: z
          .looseObject({ ID: text, state: text, image: z.looseObject({ url: text }).optional() })
          .optional(),
      })
      .optional(),
  }),
});

/** An object as the API server stored it. */
export interface Stored {
  readonly at: number;
  /** When the API server got the request. */
  readonly receivedAt: number;
  readonly resource: string;
  readonly object: z.infer<typeof written>['responseObject'];
}

export interface LineReader {
  /** The complete lines since the last call. */
  more(): Promise<readonly string[]>;
}

/** Follows a file that others append to. */
export function readLines(file: string): LineReader {
  let offset = 0;
  return {
    async more() {
      const handle = await open(file).catch(() => undefined);
      if (handle === undefined) return [];
      try {
        const { size } = await handle.stat();
        const { buffer } = await handle.read({ buffer: Buffer.alloc(size - offset), position: offset });
        const end = buffer.lastIndexOf('\n') + 1;
        offset += end;
        return buffer.subarray(0, end).toString('utf8').split('\n').filter(Boolean);
      } finally {
        await handle.close();
      }
    },
  };
}

/** The writes that succeeded, or what `get` has read, in an audit log with the contents of objects. A killed API server leaves broken lines. */
export const storedIn = (lines: readonly string[], how: 'written' | 'read' = 'written'): readonly Stored[] =>
  lines.flatMap((line) => {
    const read = written.safeParse(parsed(line));
    if (!read.success || read.data.responseStatus.code >= 300) return [];
    if ((read.data.verb === 'get') !== (how === 'read')) return [];
    const { requestReceivedTimestamp: receivedAt, stageTimestamp: at, objectRef, responseObject: object } = read.data;
    return [{ at, receivedAt, resource: objectRef.resource, object }];
  });

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
