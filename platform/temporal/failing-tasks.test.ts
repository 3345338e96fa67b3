import pino from 'pino';
import { describe, expect, test } from 'vitest';
import { createFailingTasks, failuresIn } from './failing-tasks.ts';

const line = (type: string, count: number): string =>
  `temporal_workflow_task_execution_failed_total{failure_reason="NonDeterminismError",workflow_type="${type}"} ${count}`;

describe('failed workflow tasks', () => {
  test('are counted by workflow type, whatever the reason', () => {
    const text = `# HELP x\n${line('hostWorkflow', 2)}\n${line('hostWorkflow', 3).replace('NonDeterminismError', 'WorkflowError')}\n${line('dataWorkflow', 1)}\nother 1`;
    expect(failuresIn(text)).toEqual(new Map(Object.entries({ hostWorkflow: 5, dataWorkflow: 1 })));
  });

  test('are reported until none has failed for eleven minutes', async () => {
    let [text, now] = ['', 0];
    const stop = new AbortController();
    const tasks = createFailingTasks(
      {
        read: () => {
          stop.abort();
          return Promise.resolve(text);
        },
      },
      pino({ level: 'silent' }),
      () => now,
    );
    expect(tasks.lines).toEqual([]);
    text = line('hostWorkflow', 2);
    const looking = tasks.run(stop.signal);
    stop.abort();
    await looking;
    expect(tasks.lines).toEqual(['2 tasks of hostWorkflow have failed']);
    now = 11 * 60_000;
    expect(tasks.lines).toEqual([]);
  });
});
