import { z } from 'zod';

const logLine = z.looseObject({
  objectNamespace: z.string().optional(),
  objectName: z.string().optional(),
  objectUid: z.string().optional(),
  runId: z.string().optional(),
  msg: z.string().optional(),
});
export type LogLine = z.infer<typeof logLine>;

/**
 * The lines of a log in which one of these hosts appears anywhere, by its uid or as `namespace/name`, so that a line
 * without the fields of a host is found too.
 */
export function linesAbout(
  log: string,
  { namespace, hosts }: { readonly namespace: string; readonly hosts: ReadonlyMap<string, string> },
): readonly LogLine[] {
  const names = [...hosts.values()].map((name) => new RegExp(`\\b${namespace}/${name}(?![\\w-]|\\.\\w)`));
  const isAbout = (line: string): boolean =>
    [...hosts.keys()].some((uid) => line.includes(uid)) || names.some((name) => name.test(line));
  return log
    .split('\n')
    .filter((line) => line.startsWith('{') && isAbout(line))
    .map((line) => logLine.parse(JSON.parse(line)));
}
