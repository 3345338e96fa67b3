import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { IMAGE_FLAGS, NODE_ENVIRONMENT } from '../platform/node-flags.ts';
import { inRepository } from '../test/builders/compose-file.ts';

/** Each start of one of our processes: its program, and whatever stands between `node` and the program. */
const startsIn = (file: string): readonly (readonly [program: string, flags: string])[] =>
  [...readFileSync(inRepository(file), 'utf8').matchAll(/\["?node"?, (.*?)"?programs\/(\w+)\.js"?\]/g)].map(
    ([, flags = '', program = '']) => [program, flags.replace(/[", ]+/g, ' ').trim()],
  );

test.each([
  { file: 'Dockerfile', programs: ['workers'] },
  { file: 'docker-compose.yml', programs: ['workers', 'bridge'] },
  { file: 'deploy/kubernetes/base/bridge.yaml', programs: ['bridge'] },
  { file: 'deploy/kubernetes/base/workers.yaml', programs: ['workers'] },
] as const)('$file starts bridge and workers with the flags that keep their heaps small', ({ file, programs }) => {
  expect(startsIn(file)).toEqual(programs.map((program) => [program, IMAGE_FLAGS[program].join(' ')]));
});

test.each([
  { file: 'Dockerfile', written: (name: string, value: string) => `${name}=${value}` },
  { file: 'deploy/kubernetes/base/bridge.yaml', written: (name: string, value: string) => inPod(name, value) },
  { file: 'deploy/kubernetes/base/workers.yaml', written: (name: string, value: string) => inPod(name, value) },
])('$file sets the environment that keeps freed memory small', ({ file, written }) => {
  const text = readFileSync(inRepository(file), 'utf8');
  for (const [name, value] of Object.entries(NODE_ENVIRONMENT)) expect(text).toContain(written(name, value));
});
const inPod = (name: string, value: string): string => `- name: ${name}\n              value: "${value}"\n`;
