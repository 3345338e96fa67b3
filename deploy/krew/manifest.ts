import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseDocument } from 'yaml';

export interface PluginRelease {
  /** Such as `v1.14.99`. */
  readonly version: string;
  /** URL of the archive. */
  readonly uri: string;
  readonly sha256: string;
}

/** The manifest of a release of the plugin, for krew. */
export async function pluginManifest({ version, uri, sha256 }: PluginRelease): Promise<string> {
  const document = parseDocument(await readFile(join(import.meta.dirname, 'temper.yaml'), 'utf8'));
  document.setIn(['spec', 'version'], version);
  document.setIn(['spec', 'platforms', 0, 'uri'], uri);
  document.setIn(['spec', 'platforms', 0, 'sha256'], sha256);
  return document.toString({ lineWidth: 120 });
}
