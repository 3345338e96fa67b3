import { describe, expect, test } from 'vitest';
import { shortened, withProgress } from './details.ts';
import { markdown } from './markdown.ts';

const AT = Date.parse('2026-01-01T00:00:00Z');

describe('the head of a run', () => {
  test('tells since when it waits, and that nothing happens by itself', () => {
    expect(withProgress(markdown`**metal/a** is **available**`, { doing: '', since: AT, links: [] })).toBe(
      '**metal/a** is **available**\n\n- **Since** 2026-01-01T00:00:00.000Z\n- **Next** nothing before something changes\n',
    );
  });

  test('tells when it looks again', () => {
    expect(withProgress(markdown`a`, { doing: '', since: AT, until: AT + 60_000, links: [] })).toContain(
      '- **Next** it looks again at 2026-01-01T00:01:00.000Z',
    );
  });

  test('tells what is being done, and nothing of a next step', () => {
    const text = withProgress(markdown`a`, { doing: 'Power on', since: AT, until: AT, links: [] });
    expect(text).toContain('- **Now** Power on\n- **Since** 2026-01-01T00:00:00.000Z');
    expect(text).not.toContain('Next');
  });

  test('tells what comes next in the words of the entity, also during an action', () => {
    const next = 'the host is powered on';
    const words = `- **Next** ${next}`;
    expect(withProgress(markdown`a`, { doing: '', since: AT, until: AT, next, links: [] })).toBe(
      `a\n\n- **Since** 2026-01-01T00:00:00.000Z\n${words}\n`,
    );
    expect(withProgress(markdown`a`, { doing: 'Power off', next, links: [] })).toBe(
      `a\n\n- **Now** Power off\n${words}\n`,
    );
  });

  test('links other runs', () => {
    const links = [{ what: 'Host', title: 'metal/b', path: '/namespaces/default/workflows/b' }];
    expect(withProgress(markdown`a`, { doing: '', links })).toBe(
      'a\n\n- **Host** [metal/b](/namespaces/default/workflows/b)\n',
    );
  });
});

describe('a line of the Web UI', () => {
  test('has at most 80 characters, and shows that something is missing', () => {
    expect(shortened(`no route\nto host${'!'.repeat(100)}`)).toMatch(/^no route to host!+…$/);
    expect(shortened('no  route')).toBe('no route');
    expect(shortened('x'.repeat(80))).toBe('x'.repeat(80));
    expect(shortened('x'.repeat(81))).toHaveLength(80);
  });
});
