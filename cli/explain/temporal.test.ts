import { afterEach, describe, expect, test, vi } from 'vitest';
import { diagnose } from '../../domain/diagnosis/diagnose.ts';
import { pausedInWords } from '../../domain/entity/paused-run.ts';
import { KINDS } from '../../kube/kinds.ts';
import { NOW } from '../../test/builders/diagnoses/sights.ts';
import { explained, object, PLACES, server, status } from '../../test/builders/explained.ts';
import { type Endpoints, temporalCommandOf } from '../access.ts';
import { clusterExplanation, clusterLines } from './cluster.ts';
import { explanationOf, forOurTemporal } from './explain.ts';
import { explanationLines } from './render.ts';
import type { RunSeen } from './run.ts';

const pausedAt = (id: string): string =>
  pausedInWords('BareMetalHost', id, { by: 'ada', reason: 'a look', at: '2026-01-01T11:50:00Z' }, 'temporal');
const pausedCondition = (message: string): object => ({
  type: 'WorkflowPaused',
  status: 'True',
  reason: 'RunPaused',
  message,
  lastTransitionTime: '2026-01-01T11:59:00Z',
});

describe('the explanation of a host', () => {
  test('begins with an outage of Temporal, told once, and plans nothing', async () => {
    const api = server();
    await api.put(KINDS.secret, 'node-1-bmc', {});
    await api.put(KINDS.host, 'node-1', object());
    const why = 'connect ECONNREFUSED 10.0.0.5:7233';
    const found = await explanationOf(
      { kind: 'host', name: 'node-1', ...PLACES },
      api.reading,
      () => Promise.resolve({ where: '10.0.0.5:7233', why }),
      NOW,
    );
    if (found === undefined) throw new Error('there is no explanation');
    const lines = explanationLines(found);
    expect(lines.slice(1, 5)).toEqual([
      'temporal-down: Temporal at 10.0.0.5:7233 does not answer. Nothing is begun or shown for any object, so what follows may be outdated; servers keep running.',
      `  seen: Temporal 10.0.0.5:7233, connection: ${why}`,
      expect.stringMatching(/^ {2}risk: What is asked for is done then/),
      expect.stringMatching(/^ {2}do: {3}Start Temporal, or correct what its message names\. Nothing is lost/),
    ]);
    expect(lines.filter((line) => line.includes('ECONNREFUSED'))).toHaveLength(1);
    expect(lines).toContain('Why');
    for (const title of [/^What happens next/, /^What a person can do now/, /^Not looked at/])
      expect(lines.filter((line) => title.test(line))).toEqual([]);
  });

  test('names who has paused its run in Temporal, as its run or the condition of the host says', async () => {
    const id = 'baremetalhost/metal/node-1';
    const paused = pausedAt(id);
    const run = { id, waitingFor: 'paused in Temporal', paused };
    const cases: readonly (readonly [object, Readonly<Record<string, RunSeen>>])[] = [
      [status, { BareMetalHost: run }],
      [{ ...status, conditions: [pausedCondition(paused)] }, {}],
    ];
    for (const [shown, answers] of cases) {
      const api = server();
      await api.put(KINDS.secret, 'node-1-bmc', {});
      await api.put(KINDS.host, 'node-1', object({ status: shown }));
      const { causes, canDo } = await explained(api, 'host', answers);
      expect(causes.map((cause) => cause.id)).toEqual(['run-paused']);
      expect(causes[0]?.evidence[0]?.words).toBe(paused);
      expect(causes[0]?.commands).toEqual([`temporal workflow unpause --workflow-id ${id}`]);
      // It takes no message.
      expect(canDo).toEqual([]);
    }
  });

  test('offers messages while only the run of its operation is paused', async () => {
    const api = server();
    await api.put(KINDS.secret, 'node-1-bmc', {});
    const paused = pausedAt('baremetalhost/metal/node-1/inspect/1');
    await api.put(KINDS.host, 'node-1', object({ status: { ...status, conditions: [pausedCondition(paused)] } }));
    const { causes, canDo } = await explained(api);
    expect(causes.map((cause) => cause.id)).toEqual(['run-paused']);
    expect(canDo).not.toEqual([]);
  });
});

describe('a command of an explanation', () => {
  const where = '10.0.0.5:7233 through the proxy 10.0.0.9:3128';
  const causes = diagnose({ now: NOW, temporal: { where, why: 'the proxy answers 407' } });
  const LAB = { temporalAddress: '127.0.0.1:7000', temporalNamespace: 'default' };
  const firstWith = (endpoints: Endpoints): string | undefined =>
    forOurTemporal(causes, temporalCommandOf(endpoints))[0]?.commands[0];
  afterEach(() => void vi.unstubAllEnvs());

  test('reaches the Temporal of the environment, whatever words say of a proxy, and before that of a lab', () => {
    expect(causes[0]?.cause).toContain(`Temporal at ${where} does not answer`);
    vi.stubEnv('TEMPORAL_ADDRESS', '10.0.0.5:7233');
    vi.stubEnv('TEMPORAL_NAMESPACE', 'metal.a1');
    const command = 'TEMPORAL_ADDRESS=10.0.0.5:7233 TEMPORAL_NAMESPACE=metal.a1 temporal operator cluster health';
    expect(firstWith({})).toBe(command);
    expect(firstWith({ ...LAB, temporalCommand: 'npx temper temporal' })).toBe(command);
  });

  test('reaches that of the lab, which `temper temporal` knows only in its own folder', () => {
    vi.stubEnv('TEMPORAL_ADDRESS', '');
    vi.stubEnv('TEMPORAL_NAMESPACE', '');
    expect(firstWith({ ...LAB, temporalCommand: 'npx temper temporal' })).toBe(
      'npx temper temporal operator cluster health',
    );
    expect(firstWith(LAB)).toBe(
      'TEMPORAL_ADDRESS=127.0.0.1:7000 TEMPORAL_NAMESPACE=default temporal operator cluster health',
    );
    expect(firstWith({})).toBe('temporal operator cluster health');
  });
});

test('the explanation of a cluster begins with an outage of Temporal, too', async () => {
  const api = server();
  await api.put(KINDS.cluster, 'prod', {});
  const outage = { where: '10.0.0.5:7233', why: 'connect ECONNREFUSED 10.0.0.5:7233' };
  const found = await clusterExplanation(
    api.reading,
    { namespace: 'metal', name: 'prod' },
    'temper-system',
    NOW,
    outage,
  );
  expect(found && clusterLines(found)[1]).toMatch(/^temporal-down: Temporal at 10\.0\.0\.5:7233 does not answer/);
});
