import type { WorkflowExecutionInfo } from '@temporalio/client';
import { expect, test } from 'vitest';
import { KINDS } from '../../kube/kinds.ts';
import { createClosedRunsSweep } from './closed-runs.ts';

const MINUTE_MS = 60_000;

test('runs that closed are remembered for some minutes, so that each is handled once, and then forgotten', async () => {
  let now = 0;
  let closed: readonly Partial<WorkflowExecutionInfo>[] = [];
  const revived: string[] = [];
  const client = {
    workflow: {
      list: async function* () {
        yield* closed;
      },
    },
  };
  const controllers = new Map([['BareMetalHost', { isReady: () => true, binding: { followed: KINDS.host } }]]);
  const sweep = createClosedRunsSweep({
    client: client as never,
    controllers: controllers as never,
    revive: async (_, key) => void revived.push(key),
    now: () => now,
  });
  closed = Array.from({ length: 2_000 }, (_, at) => ({
    workflowId: `baremetalhost/metal/n${at}`,
    runId: `run-${at}`,
    closeTime: new Date(now),
  }));
  for (let sweeps = 0; sweeps < 3; sweeps++) {
    now += MINUTE_MS / 2;
    await sweep.look();
  }
  expect({ revived: revived.length, kept: sweep.size }).toEqual({ revived: 2_000, kept: 2_000 });
  closed = [];
  now += 5 * MINUTE_MS;
  await sweep.look();
  now += MINUTE_MS;
  await sweep.look();
  expect(sweep.size).toBe(0);
});

test('runs that closed are found after the clock was a year ahead, and is right again', async () => {
  const right = Date.parse('2026-01-01T00:00:00Z');
  let now = right + 365 * 24 * 60 * MINUTE_MS;
  const queries: string[] = [];
  const sweep = createClosedRunsSweep({
    client: {
      workflow: {
        list: async function* ({ query }: { readonly query: string }) {
          queries.push(query);
          yield* [];
        },
      },
    } as never,
    controllers: new Map([['BareMetalHost', { isReady: () => true, binding: { followed: KINDS.host } }]]) as never,
    revive: async () => undefined,
    now: () => now,
  });
  await sweep.look();
  now = right;
  await sweep.look();
  expect(queries.map((query) => query.split("'").at(-2))).toEqual([
    '2026-12-31T23:55:00.000Z',
    '2025-12-31T23:55:00.000Z',
  ]);
});
