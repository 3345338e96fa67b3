import { inStep, type OnProgress } from '../progress.ts';
import type { BinaryName } from './binary.ts';
import { createResolver } from './resolve.ts';

/** Returns paths of programs by name. Each is searched once in a run. */
export type Programs = (name: BinaryName) => Promise<string>;

/** The name of the step that gets a program, as `onProgress` reports it. */
export const gettingStep = <Name extends BinaryName>(name: Name): `Get ${Name}` => `Get ${name}`;

export function createPrograms(onProgress: OnProgress): Programs {
  const resolve = createResolver({
    onProgress: (name, detail) => onProgress({ step: gettingStep(name), kind: 'detail', detail }),
  });
  const known = new Map<BinaryName, Promise<string>>();
  const get = (name: BinaryName): Promise<string> =>
    inStep(
      onProgress,
      gettingStep(name),
      () => resolve(name),
      ({ version, source, path }) => `${version} from ${source}: ${path}`,
    ).then(({ path }) => path);
  return (name) => {
    const found = known.get(name) ?? get(name);
    known.set(name, found);
    return found;
  };
}
