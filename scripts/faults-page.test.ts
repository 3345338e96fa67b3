import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { COMMANDS } from '../cli/commands.ts';
import { alerts } from '../deploy/monitoring/monitored.ts';
import { DIAGNOSES } from '../domain/diagnosis/table.ts';
import { sectionsOf } from './documented/headings.ts';
import { FAULTS } from './recording/faults.ts';
import { ALERTS, HOSTS } from './recording/faults-page.ts';

/** What docs/finding-faults.md recorded is what alerts, columns, diagnoses and commands are today. */
const ROOT = join(import.meta.dirname, '..');
const page = readFileSync(join(ROOT, 'docs/finding-faults.md'), 'utf8');
const sections = sectionsOf(page).slice(1);

interface Typed {
  readonly command: string;
  readonly output: readonly string[];
}

/** The commands of a block, each with the lines that it printed. */
const typedIn = (block: string): readonly Typed[] =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map((each) => {
      const [command = '', ...output] = each.trimEnd().split('\n');
      return { command, output };
    });
const recorded = FAULTS.map((fault, at) => {
  const [diagnosis = '', remedy = ''] = [...(sections[at]?.text ?? '').matchAll(/^```text\n([^]*?)^```$/gm)].map(
    ([, block = '']) => block,
  );
  return { ...fault, id: sections[at]?.id, diagnosis: typedIn(diagnosis), remedy: typedIn(remedy) };
});
const typed = recorded.flatMap(({ diagnosis, remedy }) => [...diagnosis, ...remedy]);

/** What the template says, with anything for its names. */
const filled = (template: string, name: RegExp): RegExp =>
  new RegExp(
    `^${template
      .split(name)
      .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`))
      .join('.*')}$`,
  );

describe.each(recorded)('$title', ({ title, id, alert, host, diagnosis, remedy }) => {
  test('is found by one alert, the list of hosts and one explanation', () => {
    expect(id).toBe(title.toLowerCase().replaceAll(' ', '-'));
    expect(diagnosis.map(({ command }) => command)).toEqual([ALERTS, HOSTS, `npx temper explain host ${host}`]);
    expect(diagnosis[0]?.output.map((line) => line.split(' ')[0])).toEqual([alert]);
  });

  test('is mended, and then no alert fires', () => {
    expect(remedy.length).toBeGreaterThan(2);
    expect(remedy.at(-1)).toEqual({ command: ALERTS, output: [] });
  });

  test('has causes, advice and commands of the table of diagnoses', () => {
    const words = (diagnosis[2]?.output ?? []).map((line) => line.trim().replace(/^npx temper temporal /, 'temporal '));
    const causes = words.flatMap((line, at) => (words[at + 1]?.startsWith('seen: ') === true ? [line] : []));
    expect(causes.length).toBeGreaterThan(0);
    for (const cause of causes) {
      const row = DIAGNOSES.find((each) => cause.startsWith(`${each.id}: `));
      const said = words.slice(words.indexOf(cause) + 1);
      const advice = said.findIndex((line) => line.startsWith('do: '));
      expect(cause).toMatch(filled(`${row?.id}: ${row?.cause}`, /\{\w+\}/));
      expect(said[advice]).toMatch(filled(`do:   ${row?.next}`, /\{\w+\}/));
      for (const [index, command] of (row?.commands ?? []).entries())
        expect(said[advice + 1 + index]).toMatch(filled(command, /\{\w+\}/));
    }
  });
});

test('alerts have the severity and the text of their rules', () => {
  const fired = typed.filter(({ command }) => command === ALERTS).flatMap(({ output }) => output);
  expect(fired).toHaveLength(FAULTS.length);
  for (const line of fired) {
    const rule = alerts.find(({ alert }) => line.startsWith(`${alert} `));
    expect(line).toMatch(
      filled(`${rule?.alert} (${rule?.labels.severity}): ${rule?.annotations.summary}`, /\{\{.*?\}\}/),
    );
  }
});

test('the list of hosts has the columns of the CRD', () => {
  const column = z.object({ name: z.string() });
  const versions = z.array(z.object({ additionalPrinterColumns: z.array(column) }));
  const { spec } = z
    .object({ spec: z.object({ versions }) })
    .parse(parse(readFileSync(join(ROOT, 'crds/metal3.io_baremetalhosts.yaml'), 'utf8')));
  const columns = ['NAME', ...(spec.versions[0]?.additionalPrinterColumns ?? []).map(({ name }) => name.toUpperCase())];
  const heads = typed.filter(({ command }) => command === HOSTS).map(({ output }) => output[0]?.split(/ {2,}/));
  expect(heads).toEqual(FAULTS.map(() => columns));
});

test('each command of temper exists', () => {
  const called = typed.flatMap(({ command }) => /^npx temper ([\w-]+)/.exec(command)?.[1] ?? []);
  expect(called).toContain('temporal');
  expect(called.filter((name) => !(name in COMMANDS) && name !== 'temporal')).toEqual([]);
});

test('no path of the computer on which it was recorded is shown', () => {
  expect(page.match(/\/(?:tmp|root|home|work|Users|var)\/\S*/g)).toBeNull();
});
