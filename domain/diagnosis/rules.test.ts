import { describe, expect, test } from 'vitest';
import { type Cause, diagnose } from './diagnose.ts';
import type { Diagnosis } from './diagnosis.ts';
import { aHealthyCluster, aHealthyHost, aHealthyMachine, NOW } from './example.ts';
import type { Sight } from './sight.ts';
import { DIAGNOSES } from './table.ts';

/** Rules for every row of the table, also for those that come later. */

const rows = DIAGNOSES.map((row) => [row.id, row] as const);
const examples = DIAGNOSES.flatMap((row) =>
  row.examples.map((example, index) => [`${row.id} ${index + 1}`, row, example] as const),
);

/** The example beside all objects that a chain can have: a row must not take the name of one of these. */
const inChain = ({ host = aHealthyHost, machine = aHealthyMachine, ...rest }: Sight): Sight => ({
  cluster: aHealthyCluster,
  ...rest,
  host,
  machine: { ...machine, node: machine.node || 'node-of-worker-1' },
});

const causeOf = (row: Diagnosis, sight: Sight): Cause => {
  const [found] = diagnose(sight, [row]);
  if (found === undefined) throw new Error(`${row.id} does not recognise its example`);
  return found;
};

/** True when the text has the name as a whole word, or as the beginning of a name that is made from it. */
const mentions = (text: string, name: string): boolean =>
  new RegExp(`(?<![\\w.-])${name.replaceAll('.', '\\.')}(?![\\w.-])`).test(text);

describe('a command', () => {
  test.each(examples)('of %s names a Secret of the host only when it speaks of that', (_, row, example) => {
    const { evidence, commands, cause, next } = causeOf(row, inChain(example));
    const said = [cause, next, ...evidence.map(({ words }) => words)].join();
    const isNamed = (name: string): boolean => commands.some((command) => mentions(command, name));
    const wrong = [
      { secret: aHealthyHost.credentialsName, of: /BMC/ },
      { secret: aHealthyHost.registrySecret, of: /registry/ },
    ].filter(({ secret, of }) => isNamed(secret) && !of.test(said));
    expect(wrong).toEqual([]);
  });
});

/** Advice that can deprovision, delete, clean, power off or reboot a server, or write over its disks. */
const DISTURBING: readonly RegExp[] = [
  /\bdeletes?\b(?! the annotation)/i,
  /scale .*down/i,
  /spec\.image(\.url)?(?![.\w])|"image":/,
  /temper (abort|resume|release|approve|force-delete) host/,
  /annotate (?!.*fixture).*\b[\w./]+-$/m,
  /spec\.(online|raid|paused)\b|"(online|paused)":/,
  /\breboot|power(ed)? (off|on)|restart of the BMC/i,
  /Label a host|correct hostSelector/,
  /another image|(larger|smaller) (disk|image)|convert the image/i,
  /spec\.externallyProvisioned/,
];
/** A retry of what is tried again by itself changes only the time. */
const RETRY = /temper retry host|temper\/retry=/;

/** Rows that match and disturb no server, each with the reason. */
const HARMLESS: Readonly<Record<string, string>> = {
  'pool-exhausted': 'it deletes claims that nothing uses',
  'conductor-disk-full': 'it deletes files of Ironic’s own computer',
  'image-registry-secret': 'it deletes a Secret that cannot be used',
  'node-lost': 'it asks who deletes nodes in Ironic',
};

describe('advice', () => {
  test.each(rows)(
    'of %s says first what it does to a server, if it can disturb one',
    (id, { next, commands, ...row }) => {
      const advice = [next, ...commands];
      const patterns = row.waitsForChange ? [...DISTURBING, RETRY] : DISTURBING;
      const disturbs = patterns.some((pattern) => advice.some((text) => pattern.test(text)));
      const isTold = row.risk !== undefined || id in HARMLESS;
      expect(isTold || !disturbs, advice.join('\n')).toBe(true);
    },
  );

  test.each(Object.keys(HARMLESS))('of %s would need a risk, but for its reason', (id) => {
    const { next = '', commands = [], risk } = DIAGNOSES.find((row) => row.id === id) ?? {};
    expect(DISTURBING.some((pattern) => [next, ...commands].some((text) => pattern.test(text)))).toBe(true);
    expect(risk).toBeUndefined();
  });

  test.each(rows.filter(([, { risk }]) => risk !== undefined))('of %s has its risk in what is found', (_, row) => {
    expect(causeOf(row, row.examples[0]).risk).toBe(row.risk);
    expect(row.risk).toMatch(/^[A-Z].*\.$/s);
  });
});

describe('an object that is being deleted', () => {
  const deleted = (sight: Sight, of: Diagnosis['of']): Sight => {
    const { [of]: object, ...rest } = inChain(sight);
    return { ...rest, ...(object !== undefined && { [of]: { ...object, deleting: true } }) };
  };

  test.each(examples)('is explained as that, first of all, with %s', (_, row, example) => {
    const causes = diagnose(deleted(example, row.of)).filter(({ of }) => of === row.of);
    expect(causes[0]?.id).toBe(`${row.of}-deleting`);
  });

  test.each(examples)('is not told to create what it does not need any more, with %s', (_, row, example) => {
    const found = diagnose(deleted(example, row.of), DIAGNOSES).filter(({ of }) => of === row.of);
    const ids = found.map(({ id }) => id);
    expect(ids.includes(row.id)).toBe(row.whileDeleting === true || row.id === `${row.of}-deleting`);
    const advised = found.filter(({ id }) => !id.startsWith('bmc-secret')).map(({ next }) => next);
    expect(advised.filter((next) => /\bCreate\b|\bSet spec\.(image|online)/.test(next))).toEqual([]);
  });

  test('that is held back is told first what goes on when nothing holds it any more', () => {
    const holds = DIAGNOSES.filter((row) => row.holds);
    expect(holds.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['paused', 'paused-by-cluster', 'quarantine', 'parked', 'detached', 'step-held']),
    );
    for (const row of holds) {
      const found = diagnose(deleted(row.examples[0], row.of)).find(({ id }) => id === row.id);
      expect(found?.risk, row.id).toMatch(/being deleted.*deprovisioned.*cleaned.*powered off/);
    }
  });

  test('and its Secret of user data missing is not told to create it', () => {
    const host = { ...aHealthyHost, state: 'deprovisioning' as const, deleting: true };
    const missingSecrets = [{ name: 'user-data', field: 'spec.userData' }];
    expect(diagnose({ now: NOW, host, missingSecrets }).map(({ id }) => id)).toEqual(['host-deleting']);
  });
});
