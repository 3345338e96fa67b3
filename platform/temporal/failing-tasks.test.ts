import pino from 'pino';
import { describe, expect, test } from 'vitest';
import { createFailingTasks, failuresIn } from './failing-tasks.ts';

const line = (type: string, count: number): string =>
  `temporal_workflow_task_execution_failed_total{failure_reason="NonDeterminismError",workflow_type="${type}"} ${count}`;

describe('failed workflow tasks', () => {
  test('are counted by workflow type, whatever the reason', () => {
    const text = `# HELP x\n${line('hostWorkflow', 2)}\n${line('hostWorkflow', 3).replace('NonDeterminismError', 'WorkflowError')}\n${line('dataWorkflow', 1)}\nother 1`;
    expect(failuresIn(text)).toEqual(
      new Map([
        ['hostWorkflow', { count: 5, reasons: ['NonDeterminismError', 'WorkflowError'] }],
        ['dataWorkflow', { count: 1, reasons: ['NonDeterminismError'] }],
      ]),
    );
  });

  /** Looks once at what the SDK counts at a time. */
  function looking(): {
    readonly tasks: ReturnType<typeof createFailingTasks>;
    readonly look: (text: string, now: number) => Promise<void>;
    readonly levels: readonly string[];
  } {
    let [text, now] = ['', 0];
    const levels: string[] = [];
    let stop = new AbortController();
    const metrics = {
      read: () => {
        stop.abort();
        return Promise.resolve(text);
      },
    };
    const log = pino(
      { level: 'warn' },
      {
        write: (line: string) =>
          void levels.push(pino.levels.labels[(JSON.parse(line) as { level: number }).level] ?? ''),
      },
    );
    const tasks = createFailingTasks(metrics, log, () => now);
    return {
      tasks,
      levels,
      async look(nowText, at) {
        [text, now] = [nowText, at];
        stop = new AbortController();
        const ran = tasks.run(stop.signal);
        stop.abort();
        await ran;
      },
    };
  }

  test('are reported until none has failed for eleven minutes', async () => {
    const { tasks, look, levels } = looking();
    expect(tasks.lines).toEqual([]);
    await look(line('hostWorkflow', 2), 0);
    expect(tasks.lines).toEqual(['2 tasks of hostWorkflow have failed']);
    expect(levels).toEqual(['error']);
    await look(line('hostWorkflow', 2), 11 * 60_000);
    expect(tasks.lines).toEqual([]);
  });

  test('are no error when Temporal was told of none, unless a history can not be replayed', async () => {
    const ambiguous = (count: number): string =>
      line('hostWorkflow', count).replace('NonDeterminismError', 'WorkflowError');
    const told = 'temporal_request{namespace="n",operation="RespondWorkflowTaskFailed",service_name="x"} 1';
    const { tasks, look, levels } = looking();
    await look(ambiguous(5), 0);
    expect(tasks.lines).toEqual([]);
    await look(`${ambiguous(6)}\n${told}`, 1);
    expect(tasks.lines).toEqual(['6 tasks of hostWorkflow have failed']);
    expect(levels).toEqual(['warn', 'error']);
  });

  test('are no error as long as only one has failed within eleven minutes', async () => {
    const { tasks, look, levels } = looking();
    await look(line('hostWorkflow', 1), 0);
    await look(`${line('hostWorkflow', 2)}\n${line('dataWorkflow', 1)}`, 11 * 60_000);
    expect(tasks.lines).toEqual([]);
    expect(levels).toEqual(['warn', 'warn', 'warn']);
    await look(`${line('hostWorkflow', 3)}\n${line('dataWorkflow', 1)}`, 12 * 60_000);
    expect(tasks.lines).toEqual(['3 tasks of hostWorkflow have failed']);
    expect(levels.at(-1)).toBe('error');
  });
});
