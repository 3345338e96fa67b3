import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { customResources } from '../api/crds.ts';
import type { CustomResourceDefinition } from '../deploy/crds/definition.ts';
import { connect } from '../test/verdicts/api-server.ts';
import { deriveManifests } from '../test/verdicts/derive.ts';
import { openJudge } from '../test/verdicts/judge.ts';
import { serveDefinition } from '../test/verdicts/serve.ts';
import { writeVerdicts } from '../test/verdicts/store.ts';
import type { RecordedVerdict } from '../test/verdicts/verdict.ts';
import { writtenManifests } from '../test/verdicts/written.ts';

const USAGE = `Usage: node scripts/record-verdicts.ts KUBECONFIG CRDS

Applies baremetal-operator's own CRDs, from the folder CRDS, to an API server without them, asks it whether it accepts
every manifest and writes its verdicts to test/verdicts/. Needed when upstream's CRDs change or manifests are added.
`;

const [kubeconfig, folder] = process.argv.slice(2);
if (kubeconfig === undefined || folder === undefined) {
  process.stderr.write(USAGE);
  process.exit(2);
}

const definitions = readdirSync(folder)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => parse(readFileSync(join(folder, file), 'utf8')) as CustomResourceDefinition)
  .filter(({ spec }) => customResources.some(({ kind }) => kind === spec.names['kind']));

const server = await connect(kubeconfig);
for (const definition of definitions) await serveDefinition(server, definition);
const judge = await openJudge(server, definitions);
try {
  for (const definition of definitions) await record(definition);
} finally {
  await judge.close();
  await server.close();
}

async function record(definition: CustomResourceDefinition): Promise<void> {
  const kind = String(definition.spec.names['kind']);
  const verdicts: RecordedVerdict[] = [];
  for (const manifest of [...deriveManifests(definition), ...writtenManifests(kind)])
    verdicts.push({ ...manifest, verdict: await judge.judge(manifest) });
  writeVerdicts(kind, verdicts);
  const refused = verdicts.filter(({ verdict }) => !verdict.accepted).length;
  process.stdout.write(`${kind}: ${verdicts.length - refused} accepted, ${refused} refused\n`);
}
