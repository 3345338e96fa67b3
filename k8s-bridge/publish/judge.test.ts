import { describe, expect, test } from 'vitest';
import { judge as judgeAt, type Origin } from './judge.ts';

const written = { run: 'run-1', revision: 5, viewAt: 900, at: 1000 };
const fromWorkflow = { kind: 'workflow' } as const;
const askedAt = (at: number) => ({ kind: 'query', askedAt: at }) as const;
const view = (run: string, revision: number, at: number) => ({ run, revision, at });
const NOW = 2_000;
const YEAR = 365 * 86_400_000;
const judge = (seen: Parameters<typeof judgeAt>[0], origin: Origin, before: Parameters<typeof judgeAt>[2]) =>
  judgeAt(seen, origin, before, NOW);

describe('a view is superseded', () => {
  test('when its run has shown a later one', () => {
    expect(judge(view('run-1', 4, 800), fromWorkflow, written)).toBe('superseded');
    expect(judge(view('run-1', 4, 800), askedAt(999), written)).toBe('superseded');
  });

  test('not when it is the one that was shown last, or a later one', () => {
    expect(judge(view('run-1', 5, 900), fromWorkflow, written)).toBe('news');
    expect(judge(view('run-1', 6, 950), askedAt(500), written)).toBe('news');
  });

  test('not when its workflow was started again, unless the query was sent before the last write', () => {
    expect(judge(view('run-2', 1, 950), fromWorkflow, written)).toBe('news');
    expect(judge(view('run-2', 1, 950), askedAt(1001), written)).toBe('news');
    expect(judge(view('run-0', 9, 950), askedAt(999), written)).toBe('superseded');
  });

  test('when it is older than what was shown, whichever run it is of', () => {
    expect(judge(view('run-0', 9, 899), fromWorkflow, written)).toBe('superseded');
    // What a run had begun to show before it was reset.
    expect(judge(view('run-1', 9, 899), fromWorkflow, written)).toBe('superseded');
  });

  test('never when nothing was written', () => {
    expect(judge(view('run-1', 1, 1), askedAt(0), undefined)).toBe('news');
  });
});

describe('a run is behind', () => {
  test('when it says that it was reset, also to a bridge that has written nothing yet', () => {
    const past = { ...view('run-1', 6, 950), reset: 'run-3' };
    expect(judge(past, fromWorkflow, written)).toBe('behind');
    expect(judge(past, askedAt(1001), undefined)).toBe('behind');
  });

  test('when it comes to an earlier revision at a later time: it was reset', () => {
    expect(judge(view('run-1', 4, 901), fromWorkflow, written)).toBe('behind');
  });

  test('when it answers today with an earlier revision than was written: its database was restored', () => {
    expect(judge(view('run-1', 4, 800), askedAt(1001), written)).toBe('behind');
  });
});

describe('when a clock was a year ahead, and is right again', () => {
  const ahead = { ...written, viewAt: NOW + YEAR };

  test.each([
    ['of its run', view('run-1', 6, NOW)],
    ['of another run', view('run-2', 1, NOW)],
  ])('the next view %s is news, from the workflow and from a query', (_, next) => {
    expect(judge(next, fromWorkflow, ahead)).toBe('news');
    expect(judge(next, askedAt(NOW), ahead)).toBe('news');
  });

  test('an answer of today counts, although the last write seems to be in the future', () => {
    const restored = view('run-1', 4, 800);
    expect(judge(restored, askedAt(NOW), { ...written, at: NOW + YEAR })).toBe('behind');
    expect(judge(view('run-2', 1, 950), askedAt(NOW), { ...written, at: NOW + YEAR })).toBe('news');
  });

  test('an earlier revision of the run is superseded as ever', () => {
    expect(judge(view('run-1', 4, 800), fromWorkflow, ahead)).toBe('superseded');
  });
});

test("while Temporal's clock is ahead of the bridge's, a view is superseded by a later one of that clock", () => {
  const ahead = { ...written, viewAt: NOW + YEAR };
  expect(judge(view('run-0', 9, NOW + YEAR - 1), fromWorkflow, ahead)).toBe('superseded');
  expect(judge(view('run-2', 1, NOW + YEAR + 1), fromWorkflow, ahead)).toBe('news');
});
