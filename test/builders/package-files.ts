import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { inRepository } from './compose-file.ts';

const packages = z.record(z.string(), z.string()).default({});
const packageFile = z.object({
  workspaces: z.array(z.string()).default([]),
  dependencies: packages,
  devDependencies: packages,
});
type PackageFile = z.infer<typeof packageFile>;

const readIn = (folder: string): PackageFile =>
  packageFile.parse(JSON.parse(readFileSync(inRepository(`${folder}/package.json`), 'utf8')));

/** What package.json says. */
export const ofRoot: PackageFile = readIn('.');

/** What the package.json of each workspace says, by its folder. */
export const ofWorkspaces: ReadonlyMap<string, PackageFile> = new Map(
  ofRoot.workspaces.map((folder) => [folder, readIn(folder)]),
);
