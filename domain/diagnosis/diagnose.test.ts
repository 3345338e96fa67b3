import { describe, expect, test } from 'vitest';
import { bridgeConfig, workersConfig } from '../../platform/config/config.ts';
import { examplesOf } from '../../test/builders/diagnoses/examples.ts';
import {
  aCondition,
  aDeployment,
  aHealthyCluster,
  aHealthyHost,
  aHealthyMachine,
  hostError,
  hostSight,
  machineWaits,
  NOW,
} from '../../test/builders/diagnoses/sights.ts';
import { givenUp } from '../host/outcome/given-up.ts';
import { TAKEN } from '../machine/choose-host/may-have.ts';
import { NO_MATCH } from '../machine/choose-host/select-host.ts';
import { diagnose } from './diagnose.ts';
import { durationWords } from './duration-words.ts';
import { PLACEHOLDERS } from './fill.ts';
import { DIAGNOSES } from './table.ts';

describe('the table of diagnoses', () => {
  test.each(
    DIAGNOSES.flatMap((row) => examplesOf(row).map((sight, index) => [`${row.id} ${index + 1}`, row, sight] as const)),
  )('names the cause of its example %s first, with evidence', (_, row, sight) => {
    const [first] = diagnose(sight);
    expect(first?.id).toBe(row.id);
    expect(first?.evidence.every(({ object, field, words }) => object !== '' && field !== '' && words !== '')).toBe(
      true,
    );
    expect(first?.cause).not.toMatch(/\{\w+\}/);
    expect(first?.next).not.toMatch(/\{\w+\}/);
  });

  test('has an id for each row, and at least forty of them', () => {
    const ids = DIAGNOSES.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(40);
  });

  test('says something to do in each row, with known placeholders alone', () => {
    for (const { id, cause, next, commands } of DIAGNOSES) {
      expect(
        [cause, next].every((text) => text.endsWith('.')),
        id,
      ).toBe(true);
      for (const [, name = ''] of [cause, next, ...commands].join(' ').matchAll(/\{(\w+)\}/g)) {
        expect(Object.keys(PLACEHOLDERS), id).toContain(name);
      }
    }
  });

  test('names settings that bridge or workers have', () => {
    const named = DIAGNOSES.flatMap(({ cause, next }) => `${cause} ${next}`.match(/\b[A-Z]+_[A-Z_]+\b/g) ?? []);
    const settings = [bridgeConfig, workersConfig].flatMap((config) => Object.keys(config.shape));
    expect(named).toContain('PROVISIONING_LIMIT');
    expect(named.filter((name) => !settings.includes(name))).toEqual([]);
  });

  test.each(['baremetalhost.metal3.io/paused', 'temper/quarantine'])(
    'does not take a host that shows nothing for one that the bridge has not seen, when %s holds it',
    (key) => {
      const [held, ...more] = diagnose(
        hostSight({ state: '', operationalStatus: '', poweredOn: false, annotations: { [key]: 'a fan is loud' } }),
      );
      expect(held?.evidence[0]?.field).toBe(`annotation ${key}`);
      expect(more).toEqual([]);
    },
  );

  test('finds nothing wrong with a cluster, a machine and a host that are as desired', () => {
    expect(
      diagnose({ now: NOW, host: aHealthyHost, machine: aHealthyMachine, cluster: aHealthyCluster, candidates: [] }),
    ).toEqual([]);
  });
});

describe('a diagnosis', () => {
  const password = 'Failed to get power state for node 1be2. Error: HTTP GET https://10.0.0.7 returned code 401.';

  test('tells its evidence in the object’s own words, and commands with the names filled in', () => {
    const [found] = diagnose(hostError('registration error', password));
    expect(found).toMatchObject({
      id: 'bmc-password',
      evidence: [{ object: 'BareMetalHost metal/node-1', field: 'status.errorMessage', words: password }],
      next: 'Write the right username and password into the Secret node-1-bmc; the host tries again at once.',
    });
    // The Secret exists, and `apply` warns of one that `create` has made.
    expect(found?.commands[0]).toBe(
      `kubectl -n metal patch secret node-1-bmc --type merge -p '{"stringData":{"username":"USER","password":"PASSWORD"}}'`,
    );
  });

  test('tells that a host is held back besides its error, and one error alone', () => {
    const annotations = { 'baremetalhost.metal3.io/paused': 'x' };
    const found = diagnose(hostError('registration error', password, { annotations }));
    expect(found.map(({ id }) => id)).toEqual(['paused', 'bmc-password']);
  });

  test('names the host of a machine and the machine, each with its own cause', () => {
    const { host } = hostError('inspection error', 'timeout reached while inspecting the node');
    const found = diagnose({ now: NOW, ...(host && { host }), machine: aHealthyMachine });
    expect(found.map(({ id, of }) => [id, of])).toEqual([['agent-silent-inspection', 'host']]);
  });

  test('of a host that waits for an image is none while it has a consumer, which will ask for one', () => {
    const free = { state: 'available', poweredOn: false, wantsImage: false } as const;
    expect(diagnose(hostSight(free)).map(({ id }) => id)).toEqual(['no-image']);
    expect(diagnose(hostSight({ ...free, consumer: 'Metal3Machine worker-1' }))).toEqual([]);
  });

  test.each([
    'deploying http://images.example/raid/InvalidImage.raw since 2026-01-01T11:59:00Z',
    'waiting for its turn in the budget erase in Namespace raid: at most 1 at a time, now raid/raid-2',
  ])('is not drawn from the names of files and objects: %s', (message) => {
    const conditions = [aCondition('Ready', 'False', 'NotProvisioned', message)];
    expect(diagnose(hostSight({ state: 'provisioning', poweredOn: false, conditions }))).toEqual([]);
  });

  test('does not read the image of a failed deployment, neither in the error nor in the condition Ready', () => {
    const { host } = aDeployment('the disk is on fire', 'http://images.example/configdrive/InvalidImage.raw');
    const [error] = host?.texts ?? [];
    const ready = `provisioning error (failure 1 of 5 for this image): ${error?.words}; next try at 2026-01-01T12:03:00Z`;
    const conditions = [aCondition('Ready', 'False', 'Error', ready)];
    const found = diagnose({ now: NOW, ...(host && { host: { ...host, conditions } }) });
    expect(found.map(({ id }) => id)).toEqual(['provisioning-failed']);
  });

  test('names a host that could be chosen when no host is free', () => {
    const found = diagnose(
      machineWaits('AssociateBareMetalHostFailed', 'no available host found. 3 hosts', {
        candidates: [
          { name: 'node-1', obstacle: NO_MATCH },
          { name: 'node-2', obstacle: TAKEN },
          { name: 'node-3', obstacle: 'in error' },
        ],
      }),
    );
    expect(found.map(({ id, commands }) => [id, commands.at(-1)])).toEqual([
      ['hosts-not-free', 'npx temper explain host node-3 -n metal'],
    ]);
  });

  test('of an image that was given up has the commands that allow further attempts', () => {
    const message = 'provisioning failed 5 times, retry limit (5) reached; change image or reset provisioningFailCount';
    const [found] = diagnose(hostError('provisioning error', message, { state: 'available' }));
    expect(found?.commands.slice(1)).toEqual([
      "npx temper retry host node-1 -n metal --reason 'the cause is gone'",
      "kubectl -n metal annotate --overwrite bmh node-1 temper/retry='the cause is gone'",
    ]);
  });

  test('of an image that was given up is told with that of the last failure', () => {
    const of = (lastFailure: string): readonly string[] =>
      diagnose(hostError('provisioning error', givenUp(5, 5, lastFailure), { state: 'available' })).map(({ id }) => id);
    expect(of('Validation of image href http://x failed, reason: Got HTTP code 404')).toEqual([
      'image-given-up',
      'image-not-found',
    ]);
    expect(of('the disk is on fire')).toEqual(['image-given-up']);
  });

  test('of a host that waits for its window says how to change the window, and asks for no approval', () => {
    const message =
      'waiting for the window 0 3 * * * 2h of the host, which opens at 2026-01-02T03:00:00.000Z, to clean';
    const conditions = [aCondition('StepHeld', 'True', 'WindowClosed', message)];
    const annotations = { 'temper/approval-window': '0 3 * * * 2h' };
    const [found, ...more] = diagnose(hostSight({ state: 'available', conditions, annotations }));
    expect(more).toEqual([]);
    expect(found?.id).toBe('window-closed');
    expect(found?.evidence[0]?.words).toContain('which opens at 2026-01-02T03:00:00.000Z');
    expect(found?.next).toContain('An approval does not open it');
    expect(found?.commands).toEqual([
      "kubectl -n metal annotate --overwrite bmh/node-1 temper/approval-window='0 22 * * 6 4h Europe/Berlin'",
      'kubectl -n metal annotate bmh/node-1 temper/approval-window-',
    ]);
  });

  test.each([
    [
      'WindowNeverOpen',
      'waiting for the window 0 3 30 2 * 2h of the host, which is never open, to clean',
      'kubectl -n metal annotate bmh/node-1 temper/approval-window-',
    ],
    [
      'BudgetUnreadable',
      "waiting for a budget that can't be read, many of the host, to clean",
      'kubectl -n metal edit bmh/node-1',
    ],
  ])('of a host that only a person lets go on says what to change: %s', (reason, message, command) => {
    const annotations = { 'temper/approval-window': '0 3 30 2 * 2h', 'temper/approval-budget': 'many' };
    const conditions = [aCondition('StepHeld', 'True', reason, message)];
    const [found, ...more] = diagnose(hostSight({ state: 'available', conditions, annotations }));
    expect(more).toEqual([]);
    expect(found?.next).toMatch(/^(Change|Correct) /);
    expect(found?.commands.at(-1)).toBe(command);
  });

  test.each([
    ['Cluster metal/prod', ['cluster/prod']],
    ['Cluster metal/prod-2', []],
    ['Metal3Machine metal/worker-1-infra', ['metal3machine/worker-1-infra']],
    ['Machine.machine.openshift.io metal/worker-1', ['machine.machine.openshift.io/worker-1']],
    ['Namespace metal', ['namespace/metal']],
    ['Namespace kube-system', []],
    ['Cluster other/prod', []],
    ['Secret metal/login', []],
    ['Cluster metal/prod --all', []],
  ])(
    'of a closed window has commands for the object that has it, however the host was annotated: %s',
    (of, objects) => {
      const said = [of, 'Cluster metal/prod-2'].map((each) => ({ of: each, window: '0 3 * * *' }));
      const annotations = { 'temper/approval-inherited': JSON.stringify(said) };
      const named = of === 'Cluster metal/prod-2' ? 'Cluster metal/prod' : of;
      const message = `waiting for the window 0 3 * * * of ${named}, which is never open, to clean`;
      const conditions = [aCondition('StepHeld', 'True', 'WindowClosed', message)];
      const [found] = diagnose(hostSight({ state: 'available', conditions, annotations }));
      const removing = objects.map((object) => `kubectl -n metal annotate ${object} temper/approval-window-`);
      expect(found?.commands.filter((command) => command.endsWith('-'))).toEqual(removing);
    },
  );

  test('of a budget that hosts have in their own annotations has the command for the host', () => {
    const message =
      'waiting for its turn in the budget all in hosts of Namespace metal that say so themselves: at most 1 at a time, now metal/node-2; it is next';
    const conditions = [aCondition('StepHeld', 'True', 'BudgetExhausted', message)];
    const [found] = diagnose(hostSight({ annotations: { 'temper/approval-budget': '1' }, conditions }));
    expect(found?.commands.at(-1)).toBe('kubectl -n metal edit bmh/node-1');
  });

  test('quotes for a shell what users have written into the object', () => {
    const [found] = diagnose(
      hostError('provisioning error', 'Validation of image href x failed, reason: Got HTTP code 404', {
        imageUrl: "http://a/$(reboot)';reboot",
      }),
    );
    expect(found?.commands[0]).toBe(String.raw`curl -fsSLI 'http://a/$(reboot)'\'';reboot'`);
  });

  test.each([
    ['provisioning', 19 * 60_000, []],
    ['provisioning', 21 * 60_000, ['longer-than-usual']],
    ['provisioned', 31 * 60_000, []],
  ] as const)('of a host that is %s for %d ms without an error', (state, ago, ids) => {
    expect(diagnose(hostSight({ state, since: NOW - ago })).map(({ id }) => id)).toEqual(ids);
  });
});

test.each([
  [40_000, '40 s'],
  [720_000, '12 min'],
  [11_100_000, '3 h 5 min'],
  [180_000_000, '2 d 2 h'],
])('%d ms are %s', (ms, words) => {
  expect(durationWords(ms)).toBe(words);
});
