import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Reads the last stage of the Dockerfile, so that `npm run image` makes the same image. */

export interface Base {
  readonly name: string;
  readonly digest: string;
}

/** The fields of an image's configuration. */
export interface RunConfig {
  readonly User: string;
  readonly WorkingDir: string;
  readonly Env: readonly string[];
  readonly ExposedPorts: Readonly<Record<string, object>>;
  readonly Cmd: readonly string[];
}

export const DOCKERFILE = join(import.meta.dirname, '..', '..', 'Dockerfile');

/** Throws when an instruction is missing. */
export function readDockerfile(text = readFileSync(DOCKERFILE, 'utf8')): {
  readonly base: Base;
  readonly run: RunConfig;
} {
  const last = text.slice(text.lastIndexOf('\nFROM '));
  const all = (instruction: string): readonly string[] =>
    [...last.matchAll(new RegExp(`^${instruction} (.+)$`, 'gm'))].map(([, words = '']) => words);
  const one = (instruction: string): string => {
    const [words] = all(instruction);
    if (words === undefined) throw new Error(`the Dockerfile has no ${instruction} in its last stage`);
    return words;
  };
  const [, name, digest] = /^ARG NODE=(\S+?)@(sha256:[0-9a-f]{64})$/m.exec(text) ?? [];
  if (name === undefined || digest === undefined) throw new Error('the Dockerfile pins no image of Node by its digest');
  return {
    base: { name: `docker.io/library/${name}`, digest },
    run: {
      User: one('USER'),
      WorkingDir: one('WORKDIR'),
      // The variables of the base image are needed too. Its PATH is the default of a container.
      Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...all('ENV')],
      ExposedPorts: Object.fromEntries(
        one('EXPOSE')
          .split(' ')
          .map((port) => [`${port}/tcp`, {}]),
      ),
      Cmd: JSON.parse(one('CMD')) as readonly string[],
    },
  };
}
