import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../platform/node-flags.ts';
import { inRepository } from '../test/builders/compose-file.ts';

/** Whatever stands between `node` and the program, wherever one of ours is started. */
const startsIn = (file: string): readonly string[] =>
  [
    ...readFileSync(inRepository(file), 'utf8').matchAll(/\["?node"?, (.*?)"?(?:workers|k8s-bridge)\/main\.ts"?\]/g),
  ].map(([, flags = '']) => flags.replace(/[", ]+/g, ' ').trim());

test.each([
  { file: 'Dockerfile', starts: 1 },
  { file: 'docker-compose.yml', starts: 2 },
  { file: 'deploy/kubernetes/base/bridge.yaml', starts: 1 },
  { file: 'deploy/kubernetes/base/workers.yaml', starts: 1 },
])('$file starts bridge and workers with the flags that keep their heaps small', ({ file, starts }) => {
  expect(startsIn(file)).toEqual(Array.from({ length: starts }, () => NODE_FLAGS.join(' ')));
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
