import { describe, expect, test } from 'vitest';
import { sealUrl } from '../../../kube/objects/sealed-urls.ts';
import { isOutdated as isOutdatedAt } from './outdated.ts';

const WRITTEN = Date.parse('2026-01-01T12:00:00Z');
const HOUR = 3_600_000;
const status = (state: string, url = '') => ({ provisioning: { state, ID: 'n', image: { url } } });
const object = (shown: object) => ({
  metadata: { namespace: 'metal', name: 'a', uid: 'u', resourceVersion: '1' },
  status: { ...shown, lastUpdated: '2026-01-01T12:00:00Z' },
});
const view = (shown: Record<string, unknown>, shownAt?: number, shownState?: string) => ({
  shown: { status: shown },
  ...(shownAt !== undefined && { shownAt }),
  ...(shownState !== undefined && { shownState }),
});

const isOutdated = (shown: Parameters<typeof isOutdatedAt>[0], host: unknown): boolean =>
  isOutdatedAt(shown, host, WRITTEN + 2 * HOUR);

describe('a run whose last write is not known is outdated', () => {
  test('when its host was written after the run had shown something else', () => {
    const restored = view(status('deprovisioning', 'a'), WRITTEN - HOUR);
    expect(isOutdated(restored, object(status('provisioned', 'b')))).toBe(true);
  });

  test('when its host shows the same state with another image', () => {
    expect(isOutdated(view(status('provisioned', 'a'), WRITTEN - HOUR), object(status('provisioned', 'b')))).toBe(true);
  });

  test('when it has never shown anything, and its host shows something else', () => {
    expect(isOutdated(view(status('registering')), object(status('provisioned', 'b')))).toBe(true);
  });

  test('when its host was written one second after the run had shown something else', () => {
    const restored = view(status('available'), WRITTEN - 1, 'available');
    expect(isOutdated(restored, object(status('provisioning', 'b')))).toBe(true);
  });

  test('when its host, written in the same second, shows another state than the one that the run has shown', () => {
    const restored = view(status('available'), WRITTEN + 100, 'preparing');
    expect(isOutdated(restored, object(status('provisioning', 'b')))).toBe(true);
    expect(isOutdated(view(status('available')), object(status('preparing')))).toBe(true);
  });

  test('not when it shows what its host shows', () => {
    expect(isOutdated(view(status('provisioned', 'b'), WRITTEN - HOUR), object(status('provisioned', 'b')))).toBe(
      false,
    );
    expect(isOutdated(view(status('provisioned', 'b')), object(status('provisioned', 'b')))).toBe(false);
  });

  test('not when its host shows the same image with the secrets in its URL', () => {
    const url = 'https://me:canary@images/a?sig=canary';
    const host = object(status('provisioned', url));
    expect(isOutdated(view(status('provisioned', sealUrl('u', url)), WRITTEN - HOUR), host)).toBe(false);
    // A run that is older than sealed URLs.
    expect(isOutdated(view(status('provisioned', url), WRITTEN - HOUR), host)).toBe(false);
    expect(isOutdated(view(status('provisioned', sealUrl('u', `${url}-old`)), WRITTEN - HOUR), host)).toBe(true);
  });

  test('not when it went on after it had shown what its host shows', () => {
    expect(isOutdated(view(status('provisioning'), WRITTEN + 100), object(status('available')))).toBe(false);
    expect(isOutdated(view(status('provisioning'), WRITTEN + 100, 'available'), object(status('available')))).toBe(
      false,
    );
  });

  test('not when its host is older: etcd was restored', () => {
    expect(isOutdated(view(status('provisioned', 'b'), WRITTEN + HOUR), object(status('available')))).toBe(false);
  });

  test('not when its host shows nothing yet, or a state that nobody knows', () => {
    expect(isOutdated(view(status('registering')), object({}))).toBe(false);
    expect(isOutdated(view(status('registering')), object(status('in heaven')))).toBe(false);
  });

  test('not when its host was written in the future: the clock of that bridge was ahead', () => {
    const shown = view(status('provisioning'), WRITTEN - 3 * HOUR);
    expect(isOutdated(shown, object(status('available')))).toBe(true);
    expect(isOutdatedAt(shown, object(status('available')), WRITTEN - 2 * HOUR)).toBe(false);
  });
});
