import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const manifestSchema = z.looseObject({
  metadata: z.looseObject({ name: z.string(), annotations: z.record(z.string(), z.string()).optional() }),
  spec: z.looseObject({
    containers: z.array(z.looseObject({ name: z.string(), command: z.array(z.string()).default([]) })),
  }),
});

/** A manifest in the kubelet's folder. */
export type StaticPod = z.infer<typeof manifestSchema>;

/** The static Pods of a folder; none when the folder does not exist. */
export async function readStaticPods(folder: string): Promise<readonly StaticPod[]> {
  const files = await readdir(folder).catch(() => []);
  const manifests = files.filter((file) => file.endsWith('.yaml')).sort();
  return Promise.all(
    manifests.map(async (file) => manifestSchema.parse(parse(await readFile(join(folder, file), 'utf8')))),
  );
}

/** The arguments of a Pod's first container, without its program. */
export function argumentsOf(pods: readonly StaticPod[], name: string): readonly string[] {
  const pod = pods.find(({ metadata }) => metadata.name === name);
  if (pod === undefined) throw new Error(`the static Pod ${name} is missing`);
  return pod.spec.containers[0]?.command.slice(1) ?? [];
}

type MirrorPod = StaticPod & { readonly metadata: { readonly name: string } };

/** The mirror Pod of a static Pod: named after its Node, owned by it, and not manageable through the API. */
export function mirrorPod(pod: StaticPod, node: { readonly name: string; readonly uid: string }): MirrorPod {
  const hash = createHash('md5').update(JSON.stringify(pod)).digest('hex');
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      name: `${pod.metadata.name}-${node.name}`,
      annotations: {
        ...pod.metadata.annotations,
        'kubernetes.io/config.hash': hash,
        'kubernetes.io/config.mirror': hash,
        'kubernetes.io/config.source': 'file',
      },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: node.name, uid: node.uid, controller: true }],
    },
    spec: { ...pod.spec, nodeName: node.name },
  };
}

/** The status of a Pod whose containers all run. */
export function runningStatus(): object {
  const lastTransitionTime = new Date().toISOString();
  const types = ['PodScheduled', 'PodReadyToStartContainers', 'Initialized', 'ContainersReady', 'Ready'];
  return {
    phase: 'Running',
    conditions: types.map((type) => ({ type, status: 'True', lastTransitionTime })),
    startTime: lastTransitionTime,
  };
}
