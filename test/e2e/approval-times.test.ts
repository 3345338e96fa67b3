import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { LOCKS } from '../../domain/lock/policy.ts';
import { lockView } from '../../workflows/lock/messages.ts';
import { TEMPER_WAITS_FOR } from '../../workflows/search-attributes.ts';
import { approvals, heldIn, idOf, isHost } from './support/approvals.ts';
import { IMAGE, type TestFixtureLab } from './support/fixture.ts';
import { keepRuns, withTemporal } from './support/histories.ts';
import { editHost, hostIn, hostThat, kubectl, NAMESPACE } from './support/hosts.ts';
import { joinFixtureLab } from './support/place/join.ts';
import { QUICK_FIXTURE } from './support/place/quick-fixture.ts';

/** Hosts whose step is wanted, and starts when its window opens, or when it is its turn. */
const PATIENCE = { timeout: 600_000, interval: 200 };
let lab: TestFixtureLab;
const { annotate, available, detailsOf, held, stateOf } = approvals(() => lab);
beforeAll(async () => {
  lab = await joinFixtureLab({ envOf: { workers: QUICK_FIXTURE } });
});
afterAll(() => lab?.stop());

describe.concurrent('a host', () => {
  test('with a window waits until it opens', async () => {
    const name = 'window';
    await available(name, {});
    const from = (opens: Date): string => `${opens.getUTCMinutes()} ${opens.getUTCHours()} * * * 30m`;
    const atMinute = (ms: number): Date => new Date(Math.ceil(ms / 60_000) * 60_000);
    const tonight = atMinute(Date.now() + 12 * 3_600_000);
    await annotate(name, `temper/approval-window=${from(tonight)}`);
    await hostThat(lab, name, 'with the window', ({ metadata }) => 'temper/approval-window' in metadata.annotations);
    await editHost(lab, name, { image: IMAGE });
    const { message } = await held(name, 'WindowClosed');
    expect(message).toBe(
      `waiting for the window ${from(tonight)} of the host, which opens at ${tonight.toISOString()}, to clean its disks and write image ${IMAGE.url} over them`,
    );
    const opens = atMinute(Date.now());
    await annotate(name, `temper/approval-window=${from(opens)}`);
    await hostIn(lab, name, 'provisioned');
    expect(Date.now()).toBeGreaterThanOrEqual(opens.getTime());
    await keepRuns(lab, 'window', idOf(name), isHost);
  });

  test('with a window in a time zone waits until the clocks of that zone say so', async ({ expect }) => {
    const name = 'zone';
    await available(name, {});
    const HOURS_MS = 3_600_000;
    // Now and for an hour, in the zone whose clocks are this many hours ahead.
    const began = Math.floor(Date.now() / 60_000) * 60_000 - 5 * 60_000;
    const window = (ahead: number): string => {
      const clock = new Date(began + ahead * HOURS_MS);
      return `${clock.getUTCMinutes()} ${clock.getUTCHours()} * * * 1h`;
    };
    const openInUtc = `${window(0)} Asia/Tokyo`;
    await annotate(name, `temper/approval-window=${openInUtc}`);
    await hostThat(lab, name, 'with the window', ({ metadata }) => 'temper/approval-window' in metadata.annotations);
    await editHost(lab, name, { image: IMAGE });
    const opensAt = (hours: number): string => `which opens at ${new Date(began + hours * HOURS_MS).toISOString()}`;
    expect((await held(name, 'WindowClosed')).message).toContain(`${openInUtc} of the host, ${opensAt(24 - 9)}`);
    await annotate(name, `temper/approval-window=${window(9)}`);
    await hostThat(lab, name, 'held by the other window', (host) =>
      (heldIn(host)?.message ?? '').includes(`${window(9)} of the host, ${opensAt(9)}`),
    );
    await annotate(name, `temper/approval-window=${window(9)} Asia/Tokyo`);
    await hostIn(lab, name, 'provisioned');
  });

  test('with a budget waits until one of those before it ends its step, and says which', async ({ expect }) => {
    const [first, second] = ['first', 'second'] as const;
    for (const name of [first, second]) {
      await available(name, {});
      await kubectl(lab, ['label', 'bmh', name, 'rack=r1']);
      await editHost(lab, name, { image: IMAGE });
      await hostIn(lab, name, 'provisioned');
      await annotate(name, 'temper/approval-budget=power-off: 1 per rack');
    }
    await annotate(first, 'temper/fixture-fail=deprovision');
    await editHost(lab, first, { image: null });
    await hostThat(lab, first, 'stuck', ({ status }) => status.errorType === 'provisioning error');
    await editHost(lab, second, { image: null });
    const { message } = await held(second, 'BudgetExhausted');
    expect(message).toBe(
      `waiting for its turn in the budget power-off in hosts of Namespace ${NAMESPACE} that say so themselves, rack=r1: at most 1 at a time, now ${NAMESPACE}/${first}; it is next, and goes on when one of them ends its step, to power it off, remove image ${IMAGE.url}, and clean its disks`,
    );
    expect(await stateOf(second)).toBe('provisioned');
    expect(await detailsOf(second)).toContain(message);
    const listed = await withTemporal(lab, (client) => client.workflow.getHandle(idOf(second)).describe());
    expect(listed.typedSearchAttributes.get(TEMPER_WAITS_FOR)).toBe('budget');

    // Temporal has lost all budgets. The object of the first host shows that its step has begun.
    await withTemporal(lab, (client) => client.workflow.getHandle(LOCKS.budgets.workflowId).terminate('lost'));
    await annotate(second, 'temper/approval-budget=power-off: 1 per rack; erase: 5');
    await withTemporal(lab, (client) =>
      vi.waitFor(async () => {
        const { holders, queue } = await client.workflow.getHandle(LOCKS.budgets.workflowId).query(lockView);
        expect([holders, queue].map((some) => some.map(({ holder }) => holder))).toEqual([
          [idOf(first)],
          [idOf(second)],
        ]);
      }, PATIENCE),
    );
    expect(await stateOf(second)).toBe('provisioned');

    await annotate(first, 'temper/fixture-fail-', 'temper/retry=mended');
    await hostIn(lab, first, 'available');
    await hostIn(lab, second, 'available');
    await keepRuns(lab, 'budget', LOCKS.budgets.workflowId);
    await keepRuns(lab, 'budget', idOf(second), isHost);
  });
});

// Not beside the others: one of them has Temporal lose all budgets, and hosts that wait ask again after ten minutes.
describe('a host that has failed', () => {
  test('between two attempts keeps its place when its run is lost, and the next one waits', async ({ expect }) => {
    const [failing, next] = ['failing', 'next'] as const;
    for (const name of [failing, next]) {
      await available(name, { 'temper/approval-budget': 'erase: 1 per rack' });
      await kubectl(lab, ['label', 'bmh', name, 'rack=r2']);
    }
    await annotate(failing, 'temper/fixture-fail=provision');
    await editHost(lab, failing, { image: IMAGE });
    await hostThat(lab, failing, 'in error', ({ status }) => status.errorType === 'provisioning error');
    // The next attempt waits for a window, which lasts.
    const tonight = new Date(Date.now() + 12 * 3_600_000);
    await annotate(
      failing,
      `temper/approval-window=${tonight.getUTCMinutes()} ${tonight.getUTCHours()} * * * 30m`,
      'temper/retry=clean-up',
    );
    await held(failing, 'WindowClosed');
    await editHost(lab, next, { image: IMAGE });
    await held(next, 'BudgetExhausted');
    const ticketOf = (name: string): Promise<string | undefined> =>
      withTemporal(lab, async (client) => {
        const { holders } = await client.workflow.getHandle(LOCKS.budgets.workflowId).query(lockView);
        return holders.find(({ holder }) => holder === idOf(name))?.ticket;
      });
    const before = await ticketOf(failing);
    expect(before).toBeDefined();

    const lost = await withTemporal(lab, async (client) => {
      const { runId } = await client.workflow.getHandle(idOf(failing)).describe();
      await client.workflow.getHandle(idOf(failing), runId).terminate('lost');
      return runId;
    });
    const present = (): Promise<string> =>
      withTemporal(lab, async (client) => (await client.workflow.getHandle(idOf(failing)).describe()).runId);
    await expect.poll(present, PATIENCE).not.toBe(lost);
    await annotate(failing, 'temper/approval-window-');
    await expect.poll(() => ticketOf(failing), PATIENCE).not.toBe(before);
    expect(await ticketOf(failing)).toBeDefined();
    expect(await ticketOf(next)).toBeUndefined();
    expect(await stateOf(next)).toBe('available');

    await annotate(failing, 'temper/fixture-fail-', 'temper/retry=mended');
    await hostIn(lab, failing, 'provisioned');
    await hostIn(lab, next, 'provisioned');
    await keepRuns(lab, 'forgotten-place', idOf(failing), isHost);
  });
});
