import type { BareMetalHostSpec } from '../../../api/baremetalhost/types.ts';
import { apply, fakeHostManifest, NAMESPACE, secret } from '../../e2e/support/hosts.ts';
import { aLab, type TestLab } from '../../e2e/support/lab.ts';
import { aReader, type Reader } from '../../e2e/support/reader.ts';
import type { UselessServers } from './servers.ts';
import type { Asked } from './told.ts';

/** A lab with real Ironic, and somebody who may read objects alone. */
export interface Scene {
  readonly lab: TestLab;
  readonly reader: Reader;
  /** The index of a machine that no other host has. */
  nextMachine(): number;
  close(): Promise<void>;
}

/** Does what has one cause; returns who is asked about it. */
export type Seed = (scene: SeededScene) => Promise<Asked>;

export interface SeededScene extends Scene {
  readonly servers: UselessServers;
}

export async function openScene(folder: string, options: Parameters<typeof aLab>[0]): Promise<Scene> {
  const lab = await aLab(options);
  const reader = await aReader(lab, folder);
  await apply(lab, secret('fake-bmc', { username: 'admin', password: 'password' }));
  let machinesGiven = 0;
  return {
    lab,
    reader,
    nextMachine() {
      machinesGiven += 1;
      return machinesGiven - 1;
    },
    async close() {
      await reader.kube.close();
      await lab.stop();
    },
  };
}

export const metadata = (name: string) => ({ name, namespace: NAMESPACE });
export const host = (name: string): Asked => ({ kind: 'host', name });
export const machine = (name: string): Asked => ({ kind: 'machine', name });

export type ImageChange = Partial<NonNullable<BareMetalHostSpec['image']>>;
export const image = (scene: Scene, change: ImageChange = {}) => ({
  image: { ...scene.lab.endpoints.testImage, ...change },
});

/** A host of Ironic's fake driver. */
export async function aHeldHost(
  scene: Scene,
  name: string,
  annotations: Record<string, string>,
  spec: Partial<BareMetalHostSpec>,
): Promise<Asked> {
  const { metadata, ...rest } = fakeHostManifest(name, spec) as { metadata: object };
  await apply(scene.lab, { ...rest, metadata: { ...metadata, annotations } });
  return host(name);
}
