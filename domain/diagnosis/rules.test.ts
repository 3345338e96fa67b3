import { describe, expect, test } from 'vitest';
import { examplesOf } from '../../test/builders/diagnoses/examples.ts';
import { aHealthyCluster, aHealthyHost, aHealthyMachine, NOW } from '../../test/builders/diagnoses/sights.ts';
import { waitingFor } from '../metrics/waiting.ts';
import { type Cause, diagnose } from './diagnose.ts';
import type { Diagnosis, ObjectSubject } from './diagnosis.ts';
import { isDeletion } from './rows/deleting.ts';
import type { Sight } from './sight.ts';
import { DIAGNOSES } from './table.ts';

/** Rules for every row of the table, also for those that come later. */

const rows = DIAGNOSES.map((row) => [row.id, row] as const);
const examples = DIAGNOSES.flatMap((row) =>
  examplesOf(row).map((example, index) => [`${row.id} ${index + 1}`, row, example] as const),
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
  /annotate .*\b[\w./]+-$/m,
  /spec\.(online|raid|paused)\b|"(online|paused)":/,
  /\breboot|power(ed)? (off|on)|restart of the BMC/i,
  /Label a host|correct hostSelector/,
  /another image|(larger|smaller) (disk|image)|convert the image/i,
  /spec\.externallyProvisioned/,
  /newer firmware|new certificate/,
  /\bgoes on (at once|by itself)/,
];

const VERBS =
  'accept|add|allow|approve|change|choose|convert|copy|correct|create|delete|detach|enable|end|free|give|inspect|install|label|lower|name|put|raise|reboot|release|remove|replace|restart|resume|scale|serve|set|start|turn|undeploy|update|use|write';
/** An imperative that changes something: at the beginning of a sentence or of one of its parts. */
const CHANGES = new RegExp(`(?:^|[.:;,] |\\b(?:and|first|if you can|or|otherwise|then) )(?:${VERBS})\\b`, 'i');
/** A command that changes something. A retry of what is tried again by itself changes only the time. */
const CHANGING =
  /kubectl (?!config|events)(?:-n \S+ )?(?:annotate|apply|create|delete|edit|label|patch|scale)|temper (?!explain|retry)|baremetal node (?!show|list)/;

/** True when the row must say what its advice does to a server, or stand in the list of the harmless ones. */
const mayDisturb = ({ next, commands, waitsForChange, holds }: Diagnosis): boolean =>
  waitsForChange === true ||
  holds === true ||
  CHANGES.test(next) ||
  commands.some((command) => CHANGING.test(command)) ||
  DISTURBING.some((pattern) => [next, ...commands].some((text) => pattern.test(text)));

const AGAIN = 'the host tries again by itself, also without it';
const OF_NODE = 'it lets Temper write labels and providerID of the Node';
/** Advice of some kinds, with what its risk must say. */
const RISKS: Readonly<Record<string, { readonly advice: RegExp; readonly risk: RegExp }>> = {
  'to delete a Machine': {
    advice: /\bdelete the Machine\b|delete machine/i,
    risk: /Machine that is deleted is deprovisioned/,
  },
  'to change a Metal3MachineTemplate': {
    advice: /(?:in|of) the Metal3MachineTemplate/,
    risk: /names another Metal3MachineTemplate .* are replaced: .* deprovisioned/,
  },
  'to add hosts': {
    advice: /\b(?:Create BareMetalHosts|add (?:hosts|a host)|Set spec\.bmc)/i,
    risk: /rebooted .* inspects|powered on or off/,
  },
  'to inspect a host again': { advice: /inspect the BareMetalHost/, risk: /inspected is rebooted/ },
  'to change a BMC': { advice: /newer firmware|firmware of the BMC|new certificate/, risk: /restarts the server/ },
  'to change Ironic': {
    advice: /(?:[Gg]ive|Enable .* in the configuration of|newer|conductor that .* of) Ironic(?! more)/,
    risk: /conductor that is restarted breaks off/,
  },
  'to let more hosts go on': { advice: /allow more hosts|raise PROVISIONING_LIMIT/, risk: /asked for is done then/ },
  'to name another image': {
    advice: /spec\.image\.url|another image|smaller image|convert the image/,
    risk: /deprovisioned/,
  },
};

/** Rows whose advice changes something and disturbs no server, each with the reason. */
const HARMLESS: Readonly<Record<string, string>> = {
  'fixture-fails': 'the servers of the fixture are made up',
  'bmc-password': AGAIN,
  'image-registry-secret': AGAIN,
  'ironic-down': AGAIN,
  'ironic-unauthorized': AGAIN,
  'node-in-fault': AGAIN,
  'conductor-disk-full': AGAIN,
  'permission-denied': AGAIN,
  'conductor-busy': 'fewer hosts begin something at a time',
  'node-lost': 'it asks who deletes nodes in Ironic',
  'kubeconfig-missing': OF_NODE,
  'kubeconfig-refused': OF_NODE,
  'workload-refuses': OF_NODE,
};

describe('advice', () => {
  test.each(rows)('of %s says first what it does to a server, if it can disturb one', (id, row) => {
    const isTold = row.risk !== undefined || id in HARMLESS;
    expect(isTold || !mayDisturb(row), [row.next, ...row.commands].join('\n')).toBe(true);
  });

  test.each(Object.keys(HARMLESS))('of %s would need a risk, but for its reason', (id) => {
    const row = DIAGNOSES.find((each) => each.id === id);
    expect(row && mayDisturb(row)).toBe(true);
    expect(row?.risk).toBeUndefined();
    // What nobody tries again by itself is begun by the advice.
    expect(row?.waitsForChange ?? row?.holds).toBeUndefined();
  });

  test.each(Object.entries(RISKS))('that is %s has a risk that says so', (_, { advice, risk }) => {
    const advised = DIAGNOSES.filter(({ next, commands }) => [next, ...commands].some((text) => advice.test(text)));
    expect(advised.length).toBeGreaterThan(0);
    expect(advised.filter((row) => !risk.test(row.risk ?? '')).map(({ id }) => id)).toEqual([]);
  });

  test.each(rows.filter(([, { risk }]) => risk !== undefined))('of %s has its risk in what is found', (_, row) => {
    expect(causeOf(row, examplesOf(row)[0]).risk).toBe(row.risk);
    expect(row.risk).toMatch(/^[A-Z].*\.$/s);
  });
});

/** Examples of hosts that wait for a person, as their objects show it. */
const forPerson = examples.filter(([, { of }, { host = aHealthyHost }]) => {
  const { annotations, conditions, errorType = '', operationalStatus, state } = host;
  const status = { conditions, errorType, operationalStatus, provisioning: { state } };
  return of === 'host' && waitingFor({ metadata: { annotations }, status }) === 'person';
});

test.each(forPerson)('the advice of %s asks for something, because only a person ends the wait', (_, { next }) => {
  expect(next).not.toMatch(/^Nothing: the host goes on/);
});

describe('an object that is being deleted', () => {
  const ofObjects = examples.flatMap(([name, row, example]) =>
    row.of === 'temporal' ? [] : [[name, { ...row, of: row.of }, example] as const],
  );
  const deleted = (sight: Sight, of: ObjectSubject): Sight => {
    const { [of]: object, ...rest } = inChain(sight);
    return { ...rest, ...(object !== undefined && { [of]: { ...object, deleting: true } }) };
  };

  test.each(ofObjects)('is explained as that, first of all, with %s', (_, row, example) => {
    const causes = diagnose(deleted(example, row.of)).filter(({ of }) => of === row.of);
    expect(causes[0] && isDeletion(causes[0])).toBe(true);
    expect(causes.filter(isDeletion)).toHaveLength(1);
  });

  test.each(ofObjects)('is not told to create what it does not need any more, with %s', (_, row, example) => {
    const found = diagnose(deleted(example, row.of), DIAGNOSES).filter(({ of }) => of === row.of);
    const ids = found.map(({ id }) => id);
    expect(ids.includes(row.id)).toBe(row.whileDeleting === true);
    const advised = found.filter(({ id }) => !id.startsWith('bmc-secret')).map(({ next }) => next);
    expect(advised.filter((next) => /\bCreate\b|\bSet spec\.(image|online)/.test(next))).toEqual([]);
  });

  test('that is held back is told first what goes on when nothing holds it any more', () => {
    const holds = DIAGNOSES.filter((row) => row.holds);
    expect(holds.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['paused', 'paused-by-cluster', 'quarantine', 'parked', 'detached', 'step-held']),
    );
    for (const row of holds) {
      if (row.of === 'temporal') throw new Error('nobody holds Temporal');
      const found = diagnose(deleted(examplesOf(row)[0], row.of)).find(({ id }) => id === row.id);
      expect(found?.risk, row.id).toMatch(/being deleted.*deprovisioned.*cleaned.*powered off/);
    }
  });

  test('and its Secret of user data missing is not told to create it', () => {
    const host = { ...aHealthyHost, state: 'deprovisioning' as const, deleting: true };
    const missingSecrets = [{ name: 'user-data', field: 'spec.userData' }];
    expect(diagnose({ now: NOW, host, missingSecrets }).map(({ id }) => id)).toEqual(['host-deleting']);
  });
});
