import { parentPort } from 'node:worker_threads';
import type { ContentMap } from '../../domain/data/content.ts';
import { toYaml } from './yaml.ts';

/** The program of a thread that writes YAML of texts in JSON, one after the other. */
parentPort?.on('message', (json: string) => {
  parentPort?.postMessage({ kind: 'yaml', text: toYaml(JSON.parse(json) as ContentMap) });
});
