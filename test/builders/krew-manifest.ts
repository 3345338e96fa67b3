import { parse } from 'yaml';
import { z } from 'zod';
import { type PluginRelease, pluginManifest } from '../../deploy/krew/manifest.ts';

/** What krew refuses is refused here too. */
const text = z.string().min(1);
const expression = z.strictObject({
  key: z.enum(['os', 'arch']),
  operator: z.literal('In'),
  values: z.array(text).min(1),
});
const platform = z.strictObject({
  uri: z.url({ protocol: /^https?$/ }),
  sha256: z.string().regex(/^[a-f0-9]{64}$/),
  selector: z.strictObject({ matchExpressions: z.array(expression).min(1) }),
  files: z.array(z.strictObject({ from: text, to: text })).min(1),
  bin: text.refine((path) => !path.startsWith('/') && !path.split('/').includes('..')),
});
const manifestOfKrew = z.strictObject({
  apiVersion: z.literal('krew.googlecontainertools.github.com/v1alpha2'),
  kind: z.literal('Plugin'),
  metadata: z.strictObject({ name: z.string().regex(/^[\w-]+$/) }),
  spec: z.strictObject({
    version: z.string().regex(/^v(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}(-[\dA-Za-z.-]+)?(\+[\dA-Za-z.-]+)?$/),
    homepage: z.url().optional(),
    // Krew asks for at most 50 characters, without the words kubectl and plugin.
    shortDescription: text.max(50).regex(/^(?!.*(kubectl|plugin))[^\r\n]*[^.\r\n]$/i),
    description: text,
    caveats: text,
    platforms: z.array(platform).min(1),
  }),
});

export const RELEASE: PluginRelease = {
  version: 'v1.14.99',
  uri: 'https://downloads.example.com/temper/v1.14.99/kubectl-temper.tar.gz',
  sha256: 'a'.repeat(64),
};
/** The manifest of a release, as krew reads it. */
export const readManifest = async (change: Partial<PluginRelease> = {}) =>
  manifestOfKrew.safeParse(parse(await pluginManifest({ ...RELEASE, ...change })));
