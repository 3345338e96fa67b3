import type { Out } from '../../../cli/out.ts';
import { connectKube, type Kube } from '../../../kube/client.ts';
import type { Manifest } from '../../../lab/control-plane/manifest.ts';
import { createObject, createPaths } from '../../../lab/control-plane/objects.ts';
import { startBreakableControlPlane } from '../bridge/control-plane.ts';

/** An administrator with a control plane of their own, for commands about the whole cluster. */
export interface Administrator {
  readonly kubeconfig: string;
  readonly kube: Kube;
  readonly create: <Object extends Manifest>(object: Object) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

/** KUBECONFIG leads to the control plane until it is closed. */
export async function anAdministrator(namespaces: readonly string[]): Promise<Administrator> {
  const controlPlane = await startBreakableControlPlane();
  const { kubeconfig } = controlPlane;
  const before = process.env['KUBECONFIG'];
  process.env['KUBECONFIG'] = kubeconfig;
  const kube = connectKube(kubeconfig);
  const create = async <Object extends Manifest>(object: Object): Promise<unknown> =>
    createObject(kube, (await createPaths(kube)(object)).collection, object);
  for (const name of namespaces) await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  return {
    kubeconfig,
    kube,
    create,
    async close() {
      if (before === undefined) delete process.env['KUBECONFIG'];
      else process.env['KUBECONFIG'] = before;
      await kube.close();
      await controlPlane.close();
    },
  };
}

export interface Ran {
  readonly code: number;
  /** What the command printed. */
  readonly text: string;
}

export async function ran(command: (out: Out) => Promise<number>): Promise<Ran> {
  const lines: string[] = [];
  const line = (text: string): void => void lines.push(text);
  const code = await command({ line, aside: line });
  return { code, text: lines.join('\n') };
}
