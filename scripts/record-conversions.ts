import { parseArgs } from 'node:util';
import { KINDS } from '../test/conversion/objects.ts';
import {
  generatedOf,
  type Recorded,
  type Sample,
  samplesOf,
  VERSIONS,
  writtenBack,
} from '../test/conversion/upstream/corpus.ts';
import { answerIn, reviewOf, writeAnswers } from '../test/conversion/upstream/recorded.ts';

const USAGE = `Usage: node scripts/record-conversions.ts URL --commit COMMIT

Asks the conversion webhook of cluster-api-provider-metal3 at URL (test/conversion/upstream/README.md) for the other
version of each object and writes its answers to test/conversion/upstream/recorded/. Needed when upstream's conversion
or a schema changes.
`;

const { positionals, values } = parseArgs({ allowPositionals: true, options: { commit: { type: 'string' } } });
const [url] = positionals;
if (url === undefined || values.commit === undefined) {
  process.stderr.write(USAGE);
  process.exit(2);
}
const header = {
  upstream: 'metal3-io/cluster-api-provider-metal3',
  commit: values.commit,
  recorded: new Date().toISOString().slice(0, 10),
};
for (const kind of KINDS) {
  const fresh = await answered(
    VERSIONS.flatMap((version) => [...samplesOf(kind, version), ...generatedOf(kind, version)]),
  );
  const recorded = [...fresh, ...(await answered(fresh.flatMap(writtenBack)))];
  writeAnswers(kind, header, recorded);
  process.stdout.write(`${kind}: ${recorded.length} objects\n`);
}

async function answered(samples: readonly Sample[]): Promise<readonly Recorded[]> {
  const recorded: Recorded[] = [];
  for (const sample of samples) {
    const response = await fetch(`${url}/convert`, { method: 'POST', body: JSON.stringify(reviewOf(sample.object)) });
    recorded.push({ ...sample, answer: answerIn(await response.json()) });
  }
  return recorded;
}
