import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { messageOf } from '../../domain/message-of.ts';
import { campaign } from '../chaos/campaign.ts';
import { openJournal } from '../chaos/journal.ts';
import { type ChaosLab, startChaosLab } from '../chaos/lab.ts';

/**
 * A campaign of faults that follow from a seed: 15 in `npm test`, more with `npm run test:chaos`. What must hold is
 * read from the recording proxy, the audit log of the API server, and the servers themselves.
 */
const env = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);
const ORDER = {
  on: process.env['TEMPER_CHAOS_ON'] === 'ironic' ? 'ironic' : 'fixture',
  seed: env('TEMPER_CHAOS_SEED', 1),
  faults: env('TEMPER_CHAOS_FAULTS', 15),
  hosts: env('TEMPER_CHAOS_HOSTS', 8),
  only: process.env['TEMPER_CHAOS_ONLY'] ?? '',
} as const;
/** The longest stop. */
const LONGEST_MS = env('TEMPER_CHAOS_LONGEST_MS', 5_000);
const HOURS_6 = 6 * 3_600_000;

/** Of the journal and the lab, which both stay after a failure. */
const keptFolder = process.env['TEMPER_CHAOS_FOLDER'];
const folder = keptFolder ?? mkdtempSync(join(tmpdir(), `temper-chaos-${ORDER.seed}-`));
const labFolder = join(folder, 'lab');
const journal = openJournal(join(folder, 'journal.jsonl'));
let chaos: ChaosLab;
let hasPassed = false;
beforeAll(async () => {
  chaos = await startChaosLab(ORDER.on, { dir: labFolder, hosts: ORDER.hosts, longestMs: LONGEST_MS, journal });
});
afterAll(async () => {
  await chaos?.stop();
  if (hasPassed) await rm(keptFolder === undefined ? folder : labFolder, { recursive: true });
});

test(
  `${ORDER.faults} faults: no image is deployed twice, nothing is erased that somebody wants, no host is claimed twice, and every host ends as its spec says`,
  async () => {
    const figures = await campaign(chaos, ORDER, journal).catch((error: unknown) => {
      throw new Error(`${messageOf(error)}\nThe journal and the lab are in ${folder}`, { cause: error });
    });
    process.stdout.write(`chaos on ${ORDER.on}, seed ${ORDER.seed}: ${JSON.stringify(figures)}\n`);
    expect(figures.faults).toBe(ORDER.faults);
    expect(figures.deployments).toBeGreaterThan(0);
    hasPassed = true;
  },
  HOURS_6,
);
