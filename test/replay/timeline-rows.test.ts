import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** The rows that the Web UI's timeline shows of a recorded life, as docs/web-ui.md counts them. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HISTORIES = join(ROOT, 'test/replay/histories/hostWorkflow');

interface Event {
  readonly activityTaskScheduledEventAttributes?: { readonly activityType: { readonly name: string } };
  readonly startChildWorkflowExecutionInitiatedEventAttributes?: object;
  readonly workflowExecutionSignaledEventAttributes?: { readonly signalName: string };
}

/** How often each activity and signal, and any operation, is a row. */
async function rowsOfLife(): Promise<Readonly<Record<string, number>>> {
  const [file = 'none'] = (await readdir(HISTORIES)).filter((name) => name.includes('-life-'));
  const { history } = JSON.parse(await readFile(join(HISTORIES, file), 'utf8')) as {
    readonly history: { readonly events: readonly Event[] };
  };
  const rows: Record<string, number> = {};
  for (const event of history.events) {
    const row =
      event.activityTaskScheduledEventAttributes?.activityType.name ??
      event.workflowExecutionSignaledEventAttributes?.signalName ??
      (event.startChildWorkflowExecutionInitiatedEventAttributes === undefined ? undefined : 'operations');
    if (row !== undefined) rows[row] = (rows[row] ?? 0) + 1;
  }
  return rows;
}

test('the page of the Web UI counts the rows of a recorded life, of which less than half show its status', async () => {
  const rows = await rowsOfLife();
  const of = (...names: readonly string[]): number => names.reduce((sum, name) => sum + (rows[name] ?? 0), 0);
  const page = await readFile(join(ROOT, 'docs/web-ui.md'), 'utf8');
  const said = (beginning: string): string | undefined =>
    page
      .split('\n')
      .find((line) => line.startsWith(`| ${beginning}`))
      ?.split('|')[2]
      ?.trim();
  expect(said('`publish')).toBe(`${of('publish')}`);
  expect(said('`waitForNode')).toBe(`${of('waitForNode')}`);
  expect(said('`setPower')).toBe(`${of('setPower')}`);
  expect([said('`registerNode`, `releaseHost`'), of('registerNode'), of('releaseHost')]).toEqual(['1 each', 1, 1]);
  expect(said('operations: ')).toBe(`${of('operations')}`);
  expect(said('`observed`, `nodeObserved`')).toBe(`${of('observed', 'nodeObserved')}`);
  expect(2 * of('publish')).toBeLessThan(of(...Object.keys(rows)));
});
