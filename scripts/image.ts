import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build, ENGINES, findEngine, thisMachine } from '../deploy/image/engine.ts';
import { imageName } from '../deploy/image/name.ts';
import { ARCHITECTURES, type Architecture } from '../deploy/image/stage.ts';
import { buildStandIns } from '../deploy/image/stand-in.ts';
import { thisPlatform } from '../lab/binaries/resolve.ts';
import { revisionOfCheckout } from '../platform/revision.ts';

/**
 * `npm run image`: builds the image with docker, podman or buildah, for this computer's architecture or those that are
 * given. What stands after a second `--` goes to the engine.
 */
const text = { type: 'string' } as const;
const { values, positionals: more } = parseArgs({
  allowPositionals: true,
  options: {
    name: text,
    engine: text,
    architecture: { type: 'string', multiple: true, default: [thisPlatform().arch] },
    // Images to begin with instead of those that the Dockerfile names.
    node: text,
    base: text,
    // Made of this computer's own programs, where no registry can be reached.
    'stand-in': { type: 'boolean', default: false },
  },
});

function architectureOf(name: string): Architecture {
  const found = ARCHITECTURES.find((known) => known === name);
  if (found === undefined) throw new Error(`architecture ${name}: must be ${ARCHITECTURES.join(' or ')}`);
  return found;
}
const builder = architectureOf(thisPlatform().arch);
const architectures = values.architecture.map(architectureOf);
const engines = ENGINES.filter((engine) => values.engine === undefined || engine === values.engine);
if (engines.length === 0) throw new Error(`--engine ${values.engine}: must be ${ENGINES.join(', ')}`);

const { repository, tag } = await imageName(values.name, '--name');
const image = tag === undefined ? repository : `${repository}:${tag}`;
const engine = await findEngine(await thisMachine(), engines);
const standIns = values['stand-in'] ? await buildStandIns(engine, builder, architectures, more) : {};
const bases = {
  ...standIns,
  ...(values.node !== undefined && { NODE: values.node }),
  ...(values.base !== undefined && { BASE: values.base }),
};
const root = join(import.meta.dirname, '..');
const revision = revisionOfCheckout();
const file = join(root, 'Dockerfile');
await build(engine, { image, file, context: root, architectures, builder, bases, revision, more });
process.stdout.write(`${image}: built with ${engine} for ${architectures.join(' and ')}\n`);
