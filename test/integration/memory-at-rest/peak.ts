import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Prints the memory that the system counts after a peak of which little is kept, and again when it has fallen by half. */
const megabytes = (): number => {
  const [, kilobytes = ''] = /^Anonymous:\s+(\d+)/m.exec(readFileSync('/proc/self/smaps_rollup', 'utf8')) ?? [];
  return Number(kilobytes) / 1_000;
};

/** Makes 1,500,000 objects and returns each 250th. */
const worked = (): readonly unknown[] =>
  Array.from({ length: 1_500_000 }, (_, index) => ({ index, text: `object ${index}`, list: [index] })).filter(
    ({ index }) => index % 250 === 0,
  );

const kept: unknown[] = [];
for (let round = 0; round < 6; round += 1) {
  kept.push(...worked());
  await sleep(1);
}
const peak = megabytes();
process.stdout.write(`${Math.round(peak)} MB\n`);

// Reading the memory takes CPU time.
while (megabytes() > peak / 2) await sleep(1_000);
process.stdout.write(`${Math.round(megabytes())} MB with ${kept.length} objects\n`);
